import AnalogVideoModel

/// Luma and chroma combined again after the tape, and copies of the tape; see docs/NTSC.md, "Generations".
struct Generations: Sendable {
    /// Number of recordings, one from the other.
    let count: Int
    /// Number of times that luma and chroma are combined and separated after each recording.
    private let recombinations: Int

    /// Returns nil with one recording from which luma and chroma leave separately.
    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        count = settings.vhsSettings ? Int(max(settings.generations, 1)) : 1
        // The carriers of SECAM are not separated, because each row has one component only.
        recombinations = field.hasColour && field.standard != .secam ? Int(max(settings.ycRecombinations, 0)) : 0
        guard count > 1 || recombinations > 0 else { return nil }
    }

    /// Whether chroma that a row takes from the row above depends on luma.
    var mixesRows: Bool { count > 1 && recombinations > 0 }

    /// Plays the rest of the first recording and all later ones.
    @inline(never)
    func play(
        _ signal: inout Workspace, _ block: FieldBlock, of field: Int, _ path: borrowing SignalPath,
        lostRows: Span<UInt8>
    ) {
        for generation in 0..<count {
            if generation > 0 { record(&signal, generation, block, of: field, path, lostRows: lostRows) }
            for _ in 0..<recombinations { signal.recombine(path, firstRow: block.firstRow) }
        }
    }

    private func record(
        _ signal: inout Workspace, _ generation: Int, _ block: FieldBlock, of field: Int,
        _ path: borrowing SignalPath, lostRows: Span<UInt8>
    ) {
        let (facts, row) = (path.field, block.firstRow)
        path.lumaNoise?.inGeneration(generation, .luma, facts)
            .add(to: &signal.luma, firstRow: row, memory: &signal.weights)
        path.chromaNoiseI?.inGeneration(generation, .chromaI, facts)
            .add(to: &signal.chromaI, firstRow: row, memory: &signal.weights)
        path.chromaNoiseQ?.inGeneration(generation, .chromaQ, facts)
            .add(to: &signal.chromaQ, firstRow: row, memory: &signal.weights)
        if let wave = path.edgeWave { signal.sway(wave.inGeneration(generation, facts), path, block) }
        // The boost is not repeated: eight recordings would amplify detail of 1.5 MHz by 28.
        path.tapeBandwidth?.limit(&signal.luma, &signal.chromaI, &signal.chromaQ)
        if path.chromaLoss != nil {
            removeChroma(&signal.chromaI, &signal.chromaQ, rows: lostRows, firstRow: row, generation: generation)
        }
        path.tapeSharpening?.apply(to: &signal.luma)
        guard path.blendsVertically else { return }
        signal.fields[field].blendVertically(
            &signal.chromaI, &signal.chromaQ, distance: facts.standard.combDistance, generation: generation)
    }
}

extension Workspace {
    /// Combines luma and chroma of a block to a composite signal, and separates them.
    fileprivate mutating func recombine(_ path: borrowing SignalPath, firstRow: Int) {
        path.carrier.modulate(chromaI, chromaQ, onto: &luma, firstRow: firstRow)
        swap(&luma, &composite)
        let (rows, demodulation) = (CompositeRows(composite), path.demodulation.withoutComb)
        demodulation.separateLuma(rows, into: &luma)
        demodulation.separateChroma(rows, into: &chromaI, &chromaQ, firstRow: firstRow)
    }
}
