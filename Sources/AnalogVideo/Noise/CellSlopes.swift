/// Slopes of gradient noise at three successive lattice points, for each row of a block.
struct CellSlopes {
    private var first, second, third: Lanes
    private var index: LaneBits
    private let seed: LaneBits

    /// Factors of the slopes for one column.
    struct Weights {
        let first, second, third: Lanes
    }

    @inline(__always)
    init(_ start: Lanes, _ frequency: Float, _ seed: LaneBits) {
        index = wholeBits(floor(start * Lanes(frequency))) &+ LaneBits(repeating: 2)
        let seed = hashSeed(seed)
        self.seed = seed
        first = latticeSlope(index &- LaneBits(repeating: 2), seed)
        second = latticeSlope(index &- LaneBits(repeating: 1), seed)
        third = latticeSlope(index, seed)
    }

    @inline(__always)
    mutating func advance() {
        index = index &+ LaneBits(repeating: 1)
        (first, second, third) = (second, third, latticeSlope(index, seed))
    }

    @inline(__always)
    func noise(_ weights: Weights) -> Lanes {
        fma(first, weights.first, fma(second, weights.second, third * weights.third))
    }

    /// Noise of a column in which no row is in its next cell.
    @inline(__always)
    func noise(_ firstWeight: Lanes, _ secondWeight: Lanes) -> Lanes { fma(first, firstWeight, second * secondWeight) }

    /// Noise of a column whose three weights are at the address `weights`.
    @inline(__always)
    @unsafe func noise(_ weights: UnsafeMutablePointer<Lanes>) -> Lanes {
        unsafe noise(Weights(first: weights[0], second: weights[1], third: weights[2]))
    }
}
