/// A random number generator with a fixed seed (SplitMix64), so that each run of a test gets the same numbers.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
public struct Random: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below `bound`.
    public mutating func below<Number: FixedWidthInteger>(_ bound: Number) -> Number {
        Number(next() % UInt64(max(bound, 1)))
    }

    /// A number above 0 and below 1.
    public mutating func share() -> Double { (Double(next() >> 11) + 0.5) / Double(UInt64(1) << 53) }

    /// A number that is approximately normally distributed, because it is the sum of twelve numbers.
    public mutating func normal() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }

    /// A latency in nanoseconds with a Pareto tail: the median is 1.6 * `scale`, and one in 1000 exceeds 100 * `scale`.
    public mutating func heavyTail(scale: Double) -> UInt64 {
        let drawn = share()
        return UInt64(min(scale / root(drawn), 6e10))
    }

    // Computes `value` to the power of 2/3, for a Pareto exponent of 1.5, with Newton's method for the cube root.
    private func root(_ value: Double) -> Double {
        var guess = 1.0
        let square = value * value
        for _ in 0..<60 { guess -= (guess - (square / (guess * guess))) / 3 }
        return guess
    }

    /// `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// Divides `bytes` into pieces of random sizes of at most `size`.
    public mutating func pieces(of bytes: [UInt8], atMost size: Int) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(Int.random(in: 1...size, using: &self)))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        return pieces
    }
}
