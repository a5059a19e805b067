import AnalogVideoModel

// MARK: - The stages, each by itself

extension Workspace {
    /// Runs one stage; it is not inlined, because two callers would each contain all stages.
    @inline(never)
    mutating func runStage(
        _ stage: SignalStage, _ block: FieldBlock, of field: borrowing PlayerJob.Field, _ path: borrowing SignalPath,
        _ job: borrowing PlayerJob, lostRows: Span<UInt8>
    ) {
        let (firstRow, chromaFirstRow) = (block.firstRow, block.chromaFirstRow)
        switch stage {
        case .input:
            let rows =
                if let roll = path.roll { roll.rows(ofBlock: block.index, field.run) } else {
                    field.run.rows(ofBlock: block.index)
                }
            readPixels(rows, of: job.picture, field.chromaStorage, path.axes)
            path.roll?.clear(&luma, &chromaI, &chromaQ, missing: rows)
            if path.blackColumns > 0 {
                luma.clear(last: path.blackColumns)
                chromaI.clear(last: path.blackColumns)
                chromaQ.clear(last: path.blackColumns)
            }
            path.chromaDelay?.move(&chromaI, &chromaQ, at: .input)
        case .lumaFilter:
            path.lumaBandLimit?.apply(to: &luma)
            path.inputLumaFilter?.apply(to: &luma)
        case .chromaLowpassIn: path.chromaLowpassIn?.apply(to: &chromaI, &chromaQ)
        case .frequencyModulation:
            path.frequencyModulation?.apply(
                to: &chromaI, &chromaQ, isRed: path.carrier.redRows(firstRow: firstRow))
        case .chromaIntoLuma: path.carrier.modulate(chromaI, chromaQ, onto: &luma, firstRow: firstRow)
        case .compositeSharpening: path.preemphasis?.apply(to: &luma)
        case .compositeNoise: path.compositeNoise?.add(to: &luma, firstRow: firstRow, memory: &weights)
        case .echo: path.echo?.apply(to: &luma, echo: &spare)
        case .coChannel: path.coChannel?.add(to: &luma, firstRow: firstRow)
        case .snow:
            path.snow?.add(to: &luma, firstRow: firstRow, rowCount: path.field.rowCount)
            path.weakSignal?.apply(to: &luma, firstRow: firstRow)
        case .headSwitching: path.headSwitching?.apply(to: &luma, firstRow: firstRow)
        case .trackingNoise: path.trackingNoise?.apply(to: &luma, firstRow: firstRow)
        case .lumaIntoChroma: demodulate(path, field.index, block)
        case .lumaSmear: path.lumaSmear?.apply(to: &luma)
        case .ringing: path.ringing?.apply(to: &luma)
        case .lumaNoise: path.lumaNoise?.add(to: &luma, firstRow: firstRow, memory: &weights)
        case .discriminator:
            path.discriminator?.apply(
                to: &chromaI, chromaQ, isRed: path.carrier.redRows(firstRow: chromaFirstRow))
        case .chromaNoise:
            path.weakSignal?.killColour(&chromaI, &chromaQ)
            addChromaNoise(path, firstRow: chromaFirstRow)
        case .chromaPhaseError:
            path.phaseError?.apply(to: &chromaI, &chromaQ, signs: path.carrier.signs(firstRow: chromaFirstRow))
        case .chromaPhaseNoise: path.phaseNoise?.apply(to: &chromaI, &chromaQ, firstRow: chromaFirstRow)
        case .chromaDelay: path.chromaDelay?.apply(to: &chromaI, &chromaQ, firstRow: chromaFirstRow)
        case .delayLine:
            path.delayLine?.apply(
                to: &chromaI, &chromaQ, &fields[field.index].delayed,
                isRed: path.carrier.redRows(firstRow: chromaFirstRow), firstRow: firstRow)
        case .edgeWave: if let wave = path.edgeWave { sway(wave, path, block) }
        case .tapeLowpass: path.tapeBandwidth?.limit(&luma, &chromaI, &chromaQ)
        case .tapeSpeed: path.tapeBandwidth?.boost(&luma)
        case .chromaLoss:
            if path.chromaLoss != nil { removeChroma(&chromaI, &chromaQ, rows: lostRows, firstRow: firstRow) }
        case .tapeSharpen: path.tapeSharpening?.apply(to: &luma)
        case .chromaVerticalBlend:
            guard path.blendsVertically else { return }
            fields[field.index].blendVertically(&chromaI, &chromaQ, distance: path.field.standard.combDistance)
        case .generations: path.generations?.play(&self, block, of: field.index, path, lostRows: lostRows)
        case .chromaLowpassOut: path.chromaLowpassOut?.apply(to: &chromaI, &chromaQ)
        case .deflection:
            path.deflection?.apply(to: &luma, &chromaI, &chromaQ, line: &line, firstRow: firstRow)
        case .output:
            path.chromaDelay?.move(&chromaI, &chromaQ, at: .output)
            show(block, of: field, job)
        }
    }

    private mutating func addChromaNoise(_ path: borrowing SignalPath, firstRow: Int) {
        guard let noiseI = path.chromaNoiseI, let noiseQ = path.chromaNoiseQ else { return }
        guard path.discriminator == nil else {
            // Plane I holds the components of SECAM; the delay line has no use for noise on the missing one.
            return noiseI.add(
                to: &chromaI, where: path.carrier.redRows(firstRow: firstRow), or: noiseQ, firstRow: firstRow,
                memory: &weights)
        }
        noiseI.add(to: &chromaI, firstRow: firstRow, memory: &weights)
        noiseQ.add(to: &chromaQ, firstRow: firstRow, memory: &weights)
    }

    private mutating func readPixels(
        _ rows: PictureRows, of picture: Picture, _ storage: ChromaStorage, _ axes: ChromaAxes
    ) {
        if let yuv = picture.layout.format.yuv {
            LumaChromaCamera(yuv, picture, axes)
                .convert(rows, keptRows, storage, luma: &luma, &chromaI, &chromaQ)
        } else {
            let starts = keptRows.starts(of: rows, picture)
            Camera(picture, axes).convert(starts, luma: &luma, &chromaI, &chromaQ)
        }
    }

    mutating func comb(_ path: borrowing SignalPath, _ field: Int, _ block: FieldBlock) {
        guard let rows = compositeRows(from: block.firstRow, path, field),
            let chromaRows = compositeRows(from: block.chromaFirstRow, path, field)
        else { return }
        path.combSweep?.walk(
            rows, luma: &luma, chromaRows, &chromaI, &chromaQ, chromaFirstRow: block.chromaFirstRow)
    }

    private mutating func demodulate(_ path: borrowing SignalPath, _ field: Int, _ block: FieldBlock) {
        guard let rows = compositeRows(from: block.firstRow, path, field),
            let chromaRows = compositeRows(from: block.chromaFirstRow, path, field)
        else { return }
        path.demodulation.separateLuma(rows, into: &luma)
        path.demodulation.separateChroma(chromaRows, into: &chromaI, &chromaQ, firstRow: block.chromaFirstRow)
    }

    /// Rows of composite signal from `row` on: rows of the window, or the block itself if it depends on no other block.
    // Mutating for Swift 6.2, which does not return a view of memory from a borrowing function here.
    private mutating func compositeRows(
        from row: Int, _ path: borrowing SignalPath, _ field: Int
    ) -> CompositeRows? {
        guard !path.reach.isNone else { return CompositeRows(composite) }
        return fields[field].window.rows(from: row, path.demodulation.neighbours)
    }

    mutating func sway(_ wave: EdgeWave, _ path: borrowing SignalPath, _ block: FieldBlock) {
        let shifts = wave.shifts(block: block.index)
        shifts.apply(luma, to: &spare)
        swap(&luma, &spare)
        guard path.field.hasColour else { return }
        shifts.apply(chromaI, to: &spare)
        swap(&chromaI, &spare)
        shifts.apply(chromaQ, to: &spare)
        swap(&chromaQ, &spare)
    }
}
