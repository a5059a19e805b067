/// White noise with the variance 1, which is a function of the position alone: it is the same after a seek.
///
/// A counter is mixed by the finalizer of SplitMix64 (S. Vigna, prng.di.unimi.it). The sum of four uniform numbers is
/// nearly Gaussian.
struct WhiteNoise {
    /// Streams of random numbers.
    enum Stream: UInt64 { case linear, hiFi, receiver, dropOut, switching, wow }

    private let key: UInt64

    /// The noise of a stream; `index` distinguishes channels and generations.
    init(seed: Int32, _ stream: Stream, index: Int = 0) {
        let start = mixed(UInt64(UInt32(bitPattern: seed)) &+ Self.step)
        key = mixed((start ^ (stream.rawValue << 32)) &+ UInt64(truncatingIfNeeded: index) &* Self.step)
    }

    /// The sample at a position.
    @inline(__always)
    subscript(position: Int64) -> Double {
        let bits = bits(position)
        let sum =
            ((bits & 0xffff) &+ ((bits >> 16) & 0xffff)) &+ (((bits >> 32) & 0xffff) &+ (bits >> 48))
        // Four numbers from 0 to 65535 have the mean 131070 and the variance 4 (65536² - 1) / 12.
        return (Double(Int64(bitPattern: sum)) - 131_070) * Self.scale
    }

    /// A number from 0 to below 1.
    func unit(_ position: Int64) -> Double { Double(bits(position) >> 11) * 0x1p-53 }

    @inline(__always)
    private func bits(_ position: Int64) -> UInt64 { mixed(key &+ UInt64(bitPattern: position) &* Self.step) }

    /// 2⁶⁴ divided by the golden ratio.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let scale = (3.0).squareRoot() / 65_536
}

@inline(__always)
private func mixed(_ number: UInt64) -> UInt64 {
    var z = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}
