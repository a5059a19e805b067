/// A seeded generator (SplitMix64), so that drawn data are the same in each run.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 to below `bound`.
    mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }

    /// A number above 0 and below 1.
    mutating func share() -> Double { (Double(next() >> 11) + 0.5) / Double(UInt64(1) << 53) }

    /// A latency in nanoseconds with a Pareto tail: median 1.6 times `scale`, and one in a thousand above 100 times.
    mutating func heavyTail(scale: Double) -> UInt64 {
        let drawn = share()
        return UInt64(min(scale / root(drawn), 6e10))
    }

    // x to the power of 2/3, the inverse of a Pareto exponent of 1.5, in steps of Newton for the cube root.
    private func root(_ value: Double) -> Double {
        var guess = 1.0
        let square = value * value
        for _ in 0..<60 { guess -= (guess - (square / (guess * guess))) / 3 }
        return guess
    }
}
