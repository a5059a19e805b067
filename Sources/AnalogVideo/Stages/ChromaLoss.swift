import AnalogVideoModel

/// Selects random rows that lose their chroma, as where the tape lacks coating; see docs/NTSC.md, "Chroma loss".
struct ChromaLoss: Sendable {
    private let probability: Double
    private var seeds: SeedHash

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, settings.vhsChromaLoss > 0, field.hasColour else { return nil }
        probability = Double(settings.vhsChromaLoss)
        seeds = field.seeds(.chromaLoss)
    }

    mutating func begin(_ field: FieldFacts) { seeds = field.seeds(.chromaLoss) }

    /// Marks the rows of a field that lose their chroma; one generator serves the whole field.
    func chooseRows(_ isLost: inout MutableSpan<Bool>, rowCount: Int) {
        for row in isLost.indices { isLost[row] = false }
        var generator = Generator(seeds)
        var row = 0
        while true {
            row += generator.geometric(probability)
            guard row < min(rowCount, isLost.count) else { return }
            isLost[row] = true
            row += 1
        }
    }
}

/// Sets chroma to 0 in the marked rows of a block.
func removeChroma(
    _ planeI: inout Plane, _ planeQ: inout Plane, rows isLost: Span<Bool>, firstRow: Int
) {
    for lane in 0..<min(rowsPerBlock, isLost.count - firstRow) where isLost[firstRow + lane] {
        planeI.clear(lane)
        planeQ.clear(lane)
    }
}
