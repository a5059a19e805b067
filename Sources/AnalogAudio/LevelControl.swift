/// The automatic level control of a recorder: loud sound is attenuated at once, soft sound amplified slowly.
struct LevelControl {
    /// The most that soft sound is amplified: 20 dB.
    private static let largestGain = 10.0

    /// Coefficients of the envelope and the controlled level.
    struct Design {
        let target: Double
        private let attack: Double
        private let release: Double

        init(target: Float, rate: Double) {
            self.target = decibels(target)
            attack = 1 - exponential(-1 / (0.01 * rate))
            release = 1 - exponential(-1 / (2 * rate))
        }

        @inline(__always)
        fileprivate func step(_ envelope: Double, _ magnitude: Double) -> Double {
            envelope + (magnitude - envelope) * (magnitude > envelope ? attack : release)
        }
    }

    private var envelope = 0.0

    /// Both channels have the same gain, so that the balance stays.
    @inline(__always)
    mutating func step(_ x: Pair, _ design: Design) -> Pair {
        envelope = design.step(envelope, max(abs(x.x), abs(x.y)))
        return x * min(Self.largestGain, design.target / max(envelope, 1e-6))
    }

    mutating func flush() { envelope = flushed(envelope) }
}
