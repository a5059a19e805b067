/// Number of blocks above and below a block that the block depends on; also used for slabs.
struct Reach: Sendable {
    var above: Int
    var below: Int

    /// Reach of the decoding of a block, in blocks of composite signal.
    init(_ demodulation: Demodulation, _ delay: ChromaDelay?, combDistance: Int, atMost blockCount: Int) {
        let rows = delay?.rows ?? 0
        let neighbours = demodulation.neighbours
        above = min(blocks(max(0, rows) + (neighbours == .none ? 0 : combDistance)), blockCount)
        below = min(blocks(max(0, -rows) + (neighbours == .both ? combDistance : 0)), blockCount)
    }

    /// Reach of slabs: the larger reach of the two fields, and `lookedUp` further slabs above.
    init(_ upper: Reach, _ lower: Reach, lookedUp: Int) {
        above = max(upper.above, lower.above) + lookedUp
        below = max(upper.below, lower.below)
    }

    /// Whether a block depends on itself only.
    var isNone: Bool { above + below == 0 }

    /// Number of blocks that must be stored at the same time; 0 if a block depends on itself only.
    var windowBlockCount: Int { isNone ? 0 : above + 1 + below }
}

func blocks(_ rows: Int) -> Int { (rows + rowsPerBlock - 1) / rowsPerBlock }
