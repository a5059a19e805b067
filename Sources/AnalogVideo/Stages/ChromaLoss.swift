import AnalogVideoModel

/// Selects random rows that lose their chroma, as where the tape lacks coating; see docs/NTSC.md, "Chroma loss".
struct ChromaLoss: Sendable {
    private let probability: Double

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, settings.vhsChromaLoss > 0, field.hasColour else { return nil }
        probability = Double(settings.vhsChromaLoss)
    }

    /// Marks the rows of a field that lose their chroma; one generator serves the whole field.
    ///
    /// Each recording has a bit of its own, the first one bit 0.
    func chooseRows(_ lost: inout MutableSpan<UInt8>, _ field: FieldFacts, generations: Int) {
        for row in lost.indices { lost[row] = 0 }
        for generation in 0..<generations {
            var generator = Generator(field.inGeneration(generation).seeds(.chromaLoss))
            var row = generator.geometric(probability)
            while row < min(field.rowCount, lost.count) {
                lost[row] |= 1 << UInt8(generation)
                row += 1 + generator.geometric(probability)
            }
        }
    }
}

/// Sets chroma to 0 in the rows of a block that are marked for a recording, the first one by default.
func removeChroma(
    _ planeI: inout Plane, _ planeQ: inout Plane, rows lost: Span<UInt8>, firstRow: Int, generation: Int = 0
) {
    let mark: UInt8 = 1 << UInt8(generation)
    for lane in 0..<min(rowsPerBlock, lost.count - firstRow) where (lost[firstRow + lane] & mark) != 0 {
        planeI.clear(lane)
        planeQ.clear(lane)
    }
}
