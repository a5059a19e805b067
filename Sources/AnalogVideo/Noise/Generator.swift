#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The random number generator xoshiro256++ 1.0, seeded by SplitMix64; see docs/NTSC.md, "Generator".
///
/// D. Blackman and S. Vigna, prng.di.unimi.it.
struct Generator {
    private(set) var state: (UInt64, UInt64, UInt64, UInt64)

    init(seed: UInt64) {
        var mix = seed
        func next() -> UInt64 {
            mix = mix &+ 0x9E37_79B9_7F4A_7C15
            var z = mix
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        state = (next(), next(), next(), next())
    }

    init(_ hash: SeedHash) { self.init(seed: hash.value) }

    mutating func next() -> UInt64 {
        let (s0, s1, s2, s3) = state
        let result = rotated(s0 &+ s3, 23) &+ s0
        let t2 = s2 ^ s0
        let t3 = s3 ^ s1
        state = (s0 ^ t3, s1 ^ t2, t2 ^ (s1 << 17), rotated(t3, 45))
        return result
    }

    /// The upper half of the next number.
    mutating func nextUInt32() -> UInt32 { UInt32(truncatingIfNeeded: next() >> 32) }

    /// A number from 0 to below 1, in steps of 2⁻²⁴.
    mutating func nextFloat() -> Float { Float(nextUInt32() >> 8) * 0x1p-24 }

    /// A number from 0 to below 1, in steps of 2⁻⁵³.
    mutating func nextDouble() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A uniformly distributed number from `low` to below `high`.
    mutating func uniform(_ low: Float, _ high: Float) -> Float {
        unitNumber(nextUInt32()) * (high - low) + low
    }

    /// Number of failures before the first success of trials that succeed with `probability`.
    ///
    /// Inversion of the geometric distribution. The result is at most 2⁴⁸, and 0 if the formula gives NaN.
    mutating func geometric(_ probability: Double) -> Int {
        let trials = (log(nextDouble()) / log(1 - probability)).rounded(.towardZero)
        return trials.isNaN ? 0 : Int(min(max(trials, 0), 0x1p48))
    }

    /// Advances the state by 2¹²⁸ steps.
    mutating func jump() {
        var sum: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for word in jumpPolynomial.indices {
            for bit in 0..<64 {
                if (jumpPolynomial[word] >> UInt64(bit)) & 1 == 1 {
                    sum = (sum.0 ^ state.0, sum.1 ^ state.1, sum.2 ^ state.2, sum.3 ^ state.3)
                }
                _ = next()
            }
        }
        state = sum
    }
}

private let jumpPolynomial: InlineArray<4, UInt64> = [
    0x180e_c6d3_3cfd_0aba, 0xd5a6_1266_f0c9_392c, 0xa958_2618_e03f_c9aa, 0x39ab_dc45_29b1_661c,
]
