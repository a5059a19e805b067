/// Two channels; most functions process them together.
typealias Pair = SIMD2<Double>

/// Coefficients of a filter of second order.
///
/// R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients": the bilinear transform, which maps
/// the cut-off exactly.
struct Biquad {
    var b0 = 1.0
    var b1 = 0.0
    var b2 = 0.0
    var a1 = 0.0
    var a2 = 0.0

    /// Filter that changes nothing.
    init() {}

    private init(b0: Double, b1: Double, b2: Double, a0: Double, a1: Double, a2: Double) {
        (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0)
    }

    /// Low-pass; changes nothing if the cut-off is not below 0.49 of the sample rate.
    static func lowPass(_ cutOff: Double, quality: Double, rate: Double) -> Biquad {
        guard cutOff < rate * 0.49 else { return Biquad() }
        let angle = 2 * Double.pi * cutOff / rate
        let (alpha, c) = (sine(angle) / (2 * quality), cosine(angle))
        return Biquad(b0: (1 - c) / 2, b1: 1 - c, b2: (1 - c) / 2, a0: 1 + alpha, a1: -2 * c, a2: 1 - alpha)
    }

    /// Butterworth high-pass; changes nothing at 0 Hz.
    static func highPass(_ cutOff: Double, rate: Double) -> Biquad {
        guard cutOff > 0 else { return Biquad() }
        let angle = 2 * Double.pi * min(cutOff, rate * 0.49) / rate
        let (alpha, c) = (sine(angle) * 0.5.squareRoot(), cosine(angle))
        return Biquad(b0: (1 + c) / 2, b1: -1 - c, b2: (1 + c) / 2, a0: 1 + alpha, a1: -2 * c, a2: 1 - alpha)
    }

    /// Filter of first order, `(1 + s t) / (1 + s u)` with the times `t` and `u` in seconds.
    ///
    /// Changes nothing if both times are below a hundredth of a sample: the pole would be so close to -1 that the filter
    /// would oscillate for ever.
    static func shelf(_ t: Double, _ u: Double, rate: Double) -> Biquad {
        guard max(t, u) * rate > 0.01 else { return Biquad() }
        let (zero, pole) = (2 * rate * t, 2 * rate * u)
        return Biquad(b0: 1 + zero, b1: 1 - zero, b2: 0, a0: 1 + pole, a1: 1 - pole, a2: 0)
    }

    /// Two filters of first order, one after the other.
    func followed(by other: Biquad) -> Biquad {
        var both = Biquad()
        (both.b0, both.b1, both.b2) = (b0 * other.b0, b0 * other.b1 + b1 * other.b0, b1 * other.b1)
        (both.a1, both.a2) = (a1 + other.a1, a1 * other.a1)
        return both
    }

    /// Square of the gain at an angle in radians per sample, from its cosine and its sine.
    func powerGain(cosine c: Double, sine s: Double) -> Double {
        let (c2, s2) = (c * c - s * s, 2 * c * s)
        func square(_ x0: Double, _ x1: Double, _ x2: Double) -> Double {
            let (real, imaginary) = (x0 + x1 * c + x2 * c2, x1 * s + x2 * s2)
            return real * real + imaginary * imaginary
        }
        return square(b0, b1, b2) / square(1, a1, a2)
    }
}

/// State of a filter, in transposed direct form II.
struct BiquadState {
    private var z1 = Pair.zero
    private var z2 = Pair.zero

    @inline(__always)
    mutating func step(_ x: Pair, _ filter: Biquad) -> Pair {
        let y = filter.b0 * x + z1
        z1 = (filter.b1 * x - filter.a1 * y) + z2
        z2 = filter.b2 * x - filter.a2 * y
        return y
    }

    /// Replaces what is far below the resolution of any format by 0, because processors are slow with denormal numbers.
    mutating func flush() {
        z1 = flushed(z1)
        z2 = flushed(z2)
    }
}

/// Replaces denormal and other tiny numbers by 0, and those that are not finite, which would stay in a filter for ever.
func flushed(_ x: Pair) -> Pair { Pair(flushed(x.x), flushed(x.y)) }

/// The comparisons are false for a value that is not a number.
func flushed(_ x: Double) -> Double { abs(x) >= 1e-30 && abs(x) < .infinity ? x : 0 }
