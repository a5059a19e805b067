import AnalogVideoModel

/// The memory one band works in: a block of eight rows and what is carried from one block to the next.
struct Workspace: ~Copyable {
    private var luma: Plane
    private var chromaI: Plane
    private var chromaQ: Plane
    /// For results that cannot be written over their source.
    private var spare: Plane
    /// Composite rows that do not begin a block, and the neighbours that a comb needs.
    private var composite: Plane
    private var above: Plane
    private var below: Plane
    /// The colour of the last row of the block before, as it was before the vertical blend.
    private var blendI: [Float]
    private var blendQ: [Float]
    /// The same row as it was shown.
    private var shownLuma: [Float]
    private var shownI: [Float]
    private var shownQ: [Float]

    init(width: Int) {
        luma = Plane(width: width)
        chromaI = Plane(width: width)
        chromaQ = Plane(width: width)
        spare = Plane(width: width)
        composite = Plane(width: width)
        above = Plane(width: width)
        below = Plane(width: width)
        blendI = Array(repeating: 0, count: width)
        blendQ = blendI
        shownLuma = blendI
        shownI = blendI
        shownQ = blendI
        // Arrays share their memory until they are changed; taken here, it need not be taken while the stream runs.
        beginBand()
    }

    /// Begins a band: above its first block there is nothing yet.
    mutating func beginBand() {
        for x in blendI.indices {
            blendI[x] = 0
            blendQ[x] = 0
            shownLuma[x] = 0
            shownI[x] = 0
            shownQ[x] = 0
        }
    }

    private func report(_ stage: SignalStage, to probe: StageProbe?, _ firstRow: Int, chromaFirstRow: Int? = nil) {
        guard let probe else { return }
        probe.finished(
            stage, luma: luma.readOnlyColumns, chromaI: chromaI.readOnlyColumns, chromaQ: chromaQ.readOnlyColumns,
            firstRow: firstRow, chromaFirstRow: chromaFirstRow ?? firstRow)
    }
}

// MARK: - From the picture to the composite signal

extension Workspace {
    /// Makes eight rows of composite signal out of pixels.
    mutating func encode(
        block: Int, of rows: PictureRows, _ path: borrowing SignalPath, camera: Camera, into field: CompositeField,
        probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        probe?.blockBegins()
        camera.shoot(rows, luma: &luma, &chromaI, &chromaQ)
        report(.input, to: probe, firstRow)
        // Stages are walked one by one only when someone looks at each.
        if probe == nil, let sweep = path.encodingSweep {
            sweep.walk(&luma, chromaI, chromaQ, firstRow: firstRow)
        } else {
            path.inputLumaFilter?.apply(to: &luma)
            report(.lumaFilter, to: probe, firstRow)
            path.chromaLowpassIn?.apply(to: &chromaI, &chromaQ)
            report(.chromaLowpassIn, to: probe, firstRow)
            path.carrier.modulate(chromaI, chromaQ, onto: &luma, firstRow: firstRow)
            report(.chromaIntoLuma, to: probe, firstRow)
            path.preemphasis?.apply(to: &luma)
            report(.compositeSharpening, to: probe, firstRow)
        }
        path.compositeNoise?.add(to: &luma, firstRow: firstRow)
        report(.compositeNoise, to: probe, firstRow)
        path.snow?.fall(on: &luma, firstRow: firstRow, rowCount: path.field.rowCount)
        report(.snow, to: probe, firstRow)
        path.headSwitching?.tear(&luma, firstRow: firstRow)
        report(.headSwitching, to: probe, firstRow)
        path.trackingNoise?.disturb(&luma, firstRow: firstRow)
        report(.trackingNoise, to: probe, firstRow)
        field.store(luma, block: block)
    }
}

// MARK: - And back

extension Workspace {
    /// Makes eight rows of luma and chroma out of composite signal.
    ///
    /// The blocks of a band come in order, since the vertical blend looks at the row above.
    mutating func decode(
        block: Int, _ path: borrowing SignalPath, from field: CompositeField, lostRows: Span<Bool>, probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        // Colour that comes out here, rows lower, is demodulated here right away.
        let chromaFirstRow = firstRow - (path.chromaDelay?.rows ?? 0)
        probe?.blockBegins()
        if probe == nil, chromaFirstRow == firstRow, let sweep = path.receivingSweep {
            sweep.walk(field.block(block), luma: &luma, &chromaI, &chromaQ, firstRow: firstRow)
        } else {
            demodulate(path, from: field, firstRow: firstRow)
            if chromaFirstRow != firstRow {
                swap(&luma, &spare)
                demodulate(path, from: field, firstRow: chromaFirstRow)
                swap(&luma, &spare)
            }
            report(.lumaIntoChroma, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
            path.lumaSmear?.apply(to: &luma)
            report(.lumaSmear, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
            path.ringing?.apply(to: &luma)
            report(.ringing, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
        }
        receive(path, firstRow: firstRow, chromaFirstRow: chromaFirstRow, probe: probe)
        playTape(path, block: block, lostRows: lostRows, probe: probe)
        finishColour(path, firstRow: firstRow, probe: probe)
    }

    private mutating func finishColour(_ path: borrowing SignalPath, firstRow: Int, probe: StageProbe?) {
        if probe == nil, let sweep = path.colourSweep {
            return sweep.walk(&chromaI, aboveI: &blendI, &chromaQ, aboveQ: &blendQ)
        }
        if path.blendsVertically {
            blendVertically(&chromaI, rowAbove: &blendI)
            blendVertically(&chromaQ, rowAbove: &blendQ)
        }
        report(.chromaVerticalBlend, to: probe, firstRow)
        path.chromaLowpassOut?.apply(to: &chromaI, &chromaQ)
        report(.chromaLowpassOut, to: probe, firstRow)
    }

    private mutating func demodulate(_ path: borrowing SignalPath, from field: CompositeField, firstRow: Int) {
        let rowCount = path.field.rowCount
        let demodulation = path.demodulation
        if demodulation.neighbours != .none {
            field.copyRows(from: firstRow - 1, rowCount: rowCount, to: &above)
        }
        if demodulation.neighbours == .both {
            field.copyRows(from: firstRow + 1, rowCount: rowCount, to: &below)
        }
        if firstRow % rowsPerBlock == 0 && (0..<rowCount).contains(firstRow) {
            demodulation.demodulate(
                field.block(firstRow / rowsPerBlock), above: above, below: below, luma: &luma, &chromaI, &chromaQ,
                firstRow: firstRow)
        } else {
            field.copyRows(from: firstRow, rowCount: rowCount, to: &composite)
            demodulation.demodulate(
                composite, above: above, below: below, luma: &luma, &chromaI, &chromaQ, firstRow: firstRow)
        }
    }

    /// What the receiver does to luma and chroma once they are apart, up to the recorder's input.
    private mutating func receive(
        _ path: borrowing SignalPath, firstRow: Int, chromaFirstRow: Int, probe: StageProbe?
    ) {
        path.lumaNoise?.add(to: &luma, firstRow: firstRow)
        report(.lumaNoise, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
        path.chromaNoiseI?.add(to: &chromaI, firstRow: chromaFirstRow)
        path.chromaNoiseQ?.add(to: &chromaQ, firstRow: chromaFirstRow)
        report(.chromaNoise, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
        path.phaseError?.apply(to: &chromaI, &chromaQ)
        report(.chromaPhaseError, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
        path.phaseNoise?.apply(to: &chromaI, &chromaQ, firstRow: chromaFirstRow)
        report(.chromaPhaseNoise, to: probe, firstRow, chromaFirstRow: chromaFirstRow)
        path.chromaDelay?.apply(to: &chromaI, &chromaQ, firstRow: chromaFirstRow)
        report(.chromaDelay, to: probe, firstRow)
    }

    private mutating func playTape(
        _ path: borrowing SignalPath, block: Int, lostRows: Span<Bool>, probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        if let shifts = path.edgeWave?.shifts(block: block) {
            shifts.apply(luma, to: &spare)
            swap(&luma, &spare)
            shifts.apply(chromaI, to: &spare)
            swap(&chromaI, &spare)
            shifts.apply(chromaQ, to: &spare)
            swap(&chromaQ, &spare)
        }
        report(.edgeWave, to: probe, firstRow)
        if probe == nil, let sweep = path.tapeSweep {
            sweep.walk(&luma, &chromaI, &chromaQ)
            if path.chromaLoss != nil { loseColour(&chromaI, &chromaQ, rows: lostRows, firstRow: firstRow) }
            return
        }
        path.tapeBandwidth?.limit(&luma, &chromaI, &chromaQ)
        report(.tapeLowpass, to: probe, firstRow)
        path.tapeBandwidth?.boost(&luma)
        report(.tapeSpeed, to: probe, firstRow)
        if path.chromaLoss != nil { loseColour(&chromaI, &chromaQ, rows: lostRows, firstRow: firstRow) }
        report(.chromaLoss, to: probe, firstRow)
        path.tapeSharpening?.apply(to: &luma)
        report(.tapeSharpen, to: probe, firstRow)
    }
}

// MARK: - To the screen

extension Workspace {
    /// Shows the eight rows of the field as they are now.
    func show(in rows: PictureRows, on screen: Screen, probe: StageProbe?, firstRow: Int) {
        screen.show(luma, chromaI, chromaQ, in: rows)
        report(.output, to: probe, firstRow)
    }

    /// Shows the means of each row and the row above it, in the rows between; the topmost row stands alone.
    mutating func showBetween(in rows: PictureRows, on screen: Screen, isFirstBlock: Bool) {
        mean(of: luma, with: &shownLuma, into: &spare, isFirstBlock: isFirstBlock)
        mean(of: chromaI, with: &shownI, into: &above, isFirstBlock: isFirstBlock)
        mean(of: chromaQ, with: &shownQ, into: &below, isFirstBlock: isFirstBlock)
        screen.show(spare, above, below, in: rows)
    }
}

/// Fills `result` with the mean of each row and the row above it, and keeps the last row for the next block.
private func mean(
    of plane: borrowing Plane, with rowAbove: inout [Float], into result: inout Plane, isFirstBlock: Bool
) {
    let columns = plane.readOnlyColumns
    var means = result.columns
    guard means.count == columns.count, rowAbove.count == columns.count else { return }
    for x in columns.indices {
        let rows = columns[x]
        let above = isFirstBlock ? rows[0] : rowAbove[x]
        means[x] = (rows + movedDown(rows, above: above)) * Lanes(0.5)
        rowAbove[x] = rows[rowsPerBlock - 1]
    }
}
