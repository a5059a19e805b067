import AnalogVideoModel

// MARK: - From the composite signal to luma and chroma

extension Workspace {
    /// Decodes eight rows of composite signal to luma and chroma.
    ///
    /// The blocks of a band must be decoded in order, since the vertical blend reads the row above.
    mutating func decode(
        block: Int, of field: borrowing PlayerJob.Field, lostRows: Span<Bool>, probe: StageProbe?
    ) {
        decode(block: block, field.index, field.path, lostRows: lostRows, probe: probe)
    }

    private mutating func decode(
        block: Int, _ field: Int, _ path: borrowing SignalPath, lostRows: Span<Bool>, probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        // With a vertical delay, chroma of this block comes from other rows than luma.
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

    /// Runs the stages from luma noise to chroma delay.
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
            if path.field.hasColour {
                shifts.apply(chromaI, to: &spare)
                swap(&chromaI, &spare)
                shifts.apply(chromaQ, to: &spare)
                swap(&chromaQ, &spare)
            }
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
