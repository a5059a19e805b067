import AnalogVideoModel

// MARK: - A block through the signal path

extension Workspace {
    /// Encodes pixels to composite signal until all blocks that `block` depends on are available.
    mutating func encode(
        through block: Int, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob, probe: StageProbe?
    ) {
        guard !field.path.reach.isNone else {
            runStages(SignalStage.encoding, FieldBlock(block), of: field, job, probe: probe)
            return swap(&luma, &composite)
        }
        let (end, rowCount) = (block + field.path.reach.below + 1, field.path.field.rowCount)
        while fields[field.index].window.end < end {
            let block = FieldBlock(fields[field.index].window.end)
            guard block.index < field.run.blockCount else {
                fields[field.index].window.appendNothing(rowCount: rowCount)
                continue
            }
            runStages(SignalStage.encoding, block, of: field, job, probe: probe)
            fields[field.index].window.append(luma, rowCount: rowCount)
        }
    }

    /// Decodes a block of rows of composite signal and writes them to the picture.
    ///
    /// The blocks of a band must be decoded in order, because the vertical blend reads the row above. If `isOwn` is
    /// false, the block belongs to the band above and is not written; it only updates the state for the next block.
    mutating func decode(
        block: Int, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob, isOwn: Bool,
        lostRows: Span<UInt8>, probe: StageProbe?
    ) {
        let block = FieldBlock(block, chromaDelay: field.path.chromaDelay?.rows ?? 0, isOwn: isOwn)
        guard job.bands.playsAllStages(ofOwn: isOwn) else {
            return decodeChroma(block, of: field, job, lostRows: lostRows)
        }
        runStages(SignalStage.decoding, block, of: field, job, lostRows: lostRows, probe: probe)
    }

    /// Decodes a block of the band above up to the last vertical blend, which stores the last row for the next block.
    ///
    /// The stages are played without sweeps, because sweeps include luma.
    private mutating func decodeChroma(
        _ block: FieldBlock, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob, lostRows: Span<UInt8>
    ) {
        var next: SignalStage? = SignalStage.decoding.lowerBound
        while let stage = next, stage <= .generations {
            if stage.changesChroma { runPass(.stage(stage), block, of: field, job, lostRows: lostRows) }
            next = SignalStage(rawValue: stage.rawValue + 1)
        }
    }

    /// Runs stages of a block in playing order, several in one pass if there is a sweep for them.
    private mutating func runStages(
        _ stages: ClosedRange<SignalStage>, _ block: FieldBlock, of field: borrowing PlayerJob.Field,
        _ job: borrowing PlayerJob, lostRows: Span<UInt8> = Span(), probe: StageProbe?
    ) {
        probe?.blockBegins(ofField: field.index)
        var next: SignalStage? = stages.lowerBound
        while let stage = next, stage <= stages.upperBound {
            let pass = field.path.pass(from: stage, allowsSweeps: probe?.allowsSweeps ?? true)
            runPass(pass, block, of: field, job, lostRows: lostRows)
            report(pass.stages, block, to: probe)
            next = SignalStage(rawValue: pass.stages.upperBound.rawValue + 1)
        }
    }

    /// Runs a pass; a stage that is off does nothing.
    private mutating func runPass(
        _ pass: Pass, _ block: FieldBlock, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob,
        lostRows: Span<UInt8>
    ) {
        let firstRow = block.firstRow
        switch pass {
        case .stage(let stage): runStage(stage, block, of: field, field.path, job, lostRows: lostRows)
        case .encodingSweep:
            field.path.frequencyModulation?.apply(
                to: &chromaI, &chromaQ, isRed: field.path.carrier.redRows(firstRow: firstRow),
                limitedBy: field.path.chromaLowpassIn)
            field.path.encodingSweep?.walk(&luma, chromaI, chromaQ, firstRow: firstRow, memory: &weights)
        case .receivingSweep:
            field.path.receivingSweep?.walk(
                composite, luma: &luma, &chromaI, &chromaQ, firstRow: firstRow, memory: &weights)
        case .combSweep: comb(field.path, field.index, block)
        case .tapeSweep:
            field.path.tapeSweep?.walk(&luma, &chromaI, &chromaQ, lostRows: lostRows, firstRow: firstRow)
        case .colourSweep:
            field.path.colourSweep?.walk(&chromaI, &chromaQ, above: &fields[field.index].chromaAbove)
        }
    }

    private func report(_ stages: ClosedRange<SignalStage>, _ block: FieldBlock, to probe: StageProbe?) {
        guard let probe else { return }
        let isBeforeDelay = stages.upperBound >= .lumaIntoChroma && stages.upperBound < .chromaDelay
        probe.finished(
            stages, luma: luma.samples, chromaI: chromaI.samples, chromaQ: chromaQ.samples, rowsPerBlock: rowsPerBlock,
            firstRow: block.firstRow, chromaFirstRow: isBeforeDelay ? block.chromaFirstRow : block.firstRow)
    }
}

extension SignalStage {
    fileprivate var changesChroma: Bool {
        switch self {
        case .lumaSmear, .ringing, .lumaNoise, .tapeSpeed, .tapeSharpen: false
        default: true
        }
    }
}
