import AnalogVideoModel

/// The memory one band works in: a block of eight rows, and what is carried from one block to the next.
struct Workspace: ~Copyable {
    private var luma: Plane
    private var chromaI: Plane
    private var chromaQ: Plane
    /// The composite signal of the block.
    private var composite: Plane
    /// For results that cannot be written over their source.
    private var spare: Plane
    /// The neighbours that a comb needs.
    private var above: Plane
    private var below: Plane
    /// The two fields of a picture, or its one.
    private var fields: InlineArray<2, FieldMemory>
    private var keptRows = KeptRows()

    /// Nil when there is no memory.
    init?(width: Int) {
        guard let luma = Plane(width: width), let chromaI = Plane(width: width), let chromaQ = Plane(width: width),
            let composite = Plane(width: width), let spare = Plane(width: width), let above = Plane(width: width),
            let below = Plane(width: width)
        else { return nil }
        self.luma = luma
        self.chromaI = chromaI
        self.chromaQ = chromaQ
        self.composite = composite
        self.spare = spare
        self.above = above
        self.below = below
        fields = InlineArray { _ in FieldMemory(width: width) }
    }

    /// Keeps what the band will read beyond its own rows; before any band writes. False when there is no memory.
    mutating func keepRows(of picture: Picture, own: Range<Int>, reachAbove: Int, reachBelow: Int) -> Bool {
        keptRows.keep(own, of: picture, reachAbove: reachAbove, reachBelow: reachBelow)
    }

    /// Begins a field of a band at `block`; above it there is nothing yet. False when there is no memory.
    mutating func begin(field: Int, at block: Int, _ path: borrowing SignalPath) -> Bool {
        fields[field].clear()
        return fields[field].window.begin(at: block, blockCount: path.windowBlockCount)
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
    /// Makes composite signal out of pixels until `block` can be decoded.
    mutating func encode(
        through block: Int, ofField field: Int, _ run: FieldRun, _ path: borrowing SignalPath, _ picture: Picture,
        probe: StageProbe?
    ) {
        guard path.needsWindow else { return encode(block: block, ofField: field, run, path, picture, probe: probe) }
        while fields[field].window.end < min(block + path.blocksBelow + 1, run.blockCount) {
            encode(block: fields[field].window.end, ofField: field, run, path, picture, probe: probe)
        }
    }

    /// Makes eight rows of composite signal out of pixels.
    private mutating func encode(
        block: Int, ofField field: Int, _ run: FieldRun, _ path: borrowing SignalPath, _ picture: Picture,
        probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        probe?.blockBegins(ofField: field)
        let rows = keptRows.starts(of: run.rows(ofBlock: block), picture)
        Camera(picture).shoot(rows, luma: &luma, &chromaI, &chromaQ)
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
        if path.needsWindow { fields[field].window.append(luma) } else { swap(&luma, &composite) }
    }
}

// MARK: - And back

extension Workspace {
    /// Makes eight rows of luma and chroma out of composite signal.
    ///
    /// The blocks of a band come in order, since the vertical blend looks at the row above.
    mutating func decode(
        block: Int, ofField field: Int, _ path: borrowing SignalPath, lostRows: Span<Bool>, probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        // Colour that comes out here, rows lower, is demodulated here right away.
        let chromaFirstRow = firstRow - (path.chromaDelay?.rows ?? 0)
        probe?.blockBegins(ofField: field)
        if probe == nil, !path.needsWindow, let sweep = path.receivingSweep {
            sweep.walk(composite, luma: &luma, &chromaI, &chromaQ, firstRow: firstRow)
        } else {
            demodulate(path, field, firstRow: firstRow)
            if chromaFirstRow != firstRow {
                swap(&luma, &spare)
                demodulate(path, field, firstRow: chromaFirstRow)
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
        finishColour(path, field, firstRow: firstRow, probe: probe)
    }

    private mutating func finishColour(_ path: borrowing SignalPath, _ field: Int, firstRow: Int, probe: StageProbe?) {
        if probe == nil, let sweep = path.colourSweep {
            return sweep.walk(&chromaI, &chromaQ, above: &fields[field].chromaAbove)
        }
        if path.blendsVertically {
            blendVertically(&chromaI, rowAbove: &fields[field].chromaAbove.i)
            blendVertically(&chromaQ, rowAbove: &fields[field].chromaAbove.q)
        }
        report(.chromaVerticalBlend, to: probe, firstRow)
        path.chromaLowpassOut?.apply(to: &chromaI, &chromaQ)
        report(.chromaLowpassOut, to: probe, firstRow)
    }

    private mutating func demodulate(_ path: borrowing SignalPath, _ field: Int, firstRow: Int) {
        let rowCount = path.field.rowCount
        let demodulation = path.demodulation
        if path.needsWindow { fields[field].window.copyRows(from: firstRow, rowCount: rowCount, to: &composite) }
        if demodulation.neighbours != .none {
            fields[field].window.copyRows(from: firstRow - 1, rowCount: rowCount, to: &above)
        }
        if demodulation.neighbours == .both {
            fields[field].window.copyRows(from: firstRow + 1, rowCount: rowCount, to: &below)
        }
        demodulation.demodulate(
            composite, above: above, below: below, luma: &luma, &chromaI, &chromaQ, firstRow: firstRow)
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
    /// Shows the eight rows of the field, and the rows between them where nothing else fills those.
    mutating func show(block: Int, ofField field: Int, _ run: FieldRun, on picture: Picture, probe: StageProbe?) {
        let screen = Screen(picture)
        if run.fillsOtherRows {
            let between = run.rowsBetween(ofBlock: block)
            findMeans(field, isFirstBlock: block == 0)
            screen.show(spare, above, below, in: between)
        }
        screen.show(luma, chromaI, chromaQ, in: run.rows(ofBlock: block))
        if block == run.blockCount - 1 {
            screen.show(luma, chromaI, chromaQ, in: run.rowBelow(pictureHeight: picture.layout.height))
        }
        report(.output, to: probe, block * rowsPerBlock)
    }

    /// Prepares the rows above the first one shown, of which the next block shows the mean.
    mutating func skip(block: Int, ofField field: Int, _ run: FieldRun) {
        if run.fillsOtherRows { findMeans(field, isFirstBlock: block == 0) }
    }

    /// The means of each row and the row above it; the topmost row stands alone.
    private mutating func findMeans(_ field: Int, isFirstBlock: Bool) {
        mean(of: luma, with: &fields[field].shownLuma, into: &spare, isFirstBlock: isFirstBlock)
        mean(of: chromaI, with: &fields[field].shownI, into: &above, isFirstBlock: isFirstBlock)
        mean(of: chromaQ, with: &fields[field].shownQ, into: &below, isFirstBlock: isFirstBlock)
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
