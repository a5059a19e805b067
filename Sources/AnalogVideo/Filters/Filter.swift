import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Coefficients of a recursive filter of up to third order: `b` for its input, `a` for its previous outputs; `a0` is 1.
///
/// The designs and their rounding follow docs/NTSC.md, "Filter designs".
struct Filter: Sendable {
    var b0: Float = 1
    var b1: Float = 0
    var b2: Float = 0
    var b3: Float = 0
    var a1: Float = 0
    var a2: Float = 0
    var a3: Float = 0
    var order: Int

    static let identity = Filter(order: 1)

    // MARK: Designs

    /// A first-order low-pass: an RC circuit with the corner `cutoff`, which has the unit of `rate`.
    static func onePole(cutoff: Float, rate: Float) -> Filter {
        let period = 1 / rate
        let timeConstant = 1 / ((cutoff * 2) * pi)
        let alpha = period / (timeConstant + period)
        return Filter(b0: alpha, a1: -(1 - alpha), order: 1)
    }

    /// A low-pass of the type that the user selects; `cutoff` and `rate` are in hertz.
    static func lowpass(_ type: FilterType, cutoff: Float, rate: Float) -> Filter {
        switch type {
        case .constantK: constantK(cutoff: cutoff, rate: rate)
        case .butterworth: butterworth(cutoff: cutoff, rate: rate)
        }
    }

    /// Three first-order low-passes in series.
    static func constantK(cutoff: Float, rate: Float) -> Filter {
        let pole = onePole(cutoff: cutoff, rate: rate)
        let p = pole.a1
        let a1 = p + p
        let a2 = p * p
        return Filter(
            b0: pole.b0 * pole.b0 * pole.b0, a1: a1 + p, a2: a2 + (a1 * p), a3: a2 * p, order: 3)
    }

    /// A second-order Butterworth low-pass, which is maximally flat up to its corner.
    ///
    /// Bilinear transform of the "Audio EQ Cookbook" by Robert Bristow-Johnson, with Q = 1/√2.
    static func butterworth(cutoff: Float, rate: Float) -> Filter {
        let w = min(2 * cutoff, rate) / rate * pi
        let alpha = sinf(w) / (2 * Float(0.70710677))
        let gain = 1 / (1 + alpha)
        let b1 = (1 - cosf(w)) * gain
        let b0 = (1 - cosf(w)) * 0.5 * gain
        return Filter(b0: b0, b1: b1, b2: b0, a1: -2 * cosf(w) * gain, a2: (1 - alpha) * gain, order: 2)
    }

    /// A notch at `frequency`, in units of half the sample rate; `quality` is the frequency divided by the -3 dB width.
    ///
    /// The design of Orfanidis, "Introduction to Signal Processing", section 11.3.
    static func notch(frequency: Float, quality: Float) -> Filter {
        let bandwidth = (frequency / quality) * pi
        let beta = tanf(bandwidth * 0.5)
        let gain = 1 / (1 + beta)
        let middle = -2 * cosf(frequency * pi) * gain
        return Filter(b0: gain, b1: middle, b2: gain, a1: middle, a2: 2 * gain - 1, order: 2)
    }

    /// Sum of `amount` times the output of this filter and `1 - amount` times its input.
    ///
    /// An amount below 0 makes a sharpening filter of a low-pass. An amount above 1 exaggerates a notch.
    func mixed(_ amount: Float) -> Filter {
        let rest = 1 - amount
        return Filter(
            b0: amount * b0 + rest, b1: amount * b1 + rest * a1, b2: amount * b2 + rest * a2,
            b3: amount * b3 + rest * a3, a1: a1, a2: a2, a3: a3, order: order)
    }

    /// The `RunningFilter` that implements a filter.
    enum Kernel: Sendable {
        case first, second, third
        #if !(FUSED_MULTIPLY_ADD || arch(arm64))
            case exactSecond
        #endif
    }

    /// Whether one loop can run both filters; such loops exist for the second and the third order.
    func runs(besides other: Filter) -> Bool { kernel == other.kernel && (kernel == .second || kernel == .third) }

    var kernel: Kernel {
        #if !(FUSED_MULTIPLY_ADD || arch(arm64))
            if isMarginal { return .exactSecond }
        #endif
        return order == 1 ? .first : order == 2 ? .second : .third
    }

    /// Whether the poles are so near the unit circle that rounding errors persist.
    ///
    /// A Butterworth filter is marginal if the bandwidth scale moves half the sample rate below its corner.
    private var isMarginal: Bool { order == 2 && abs(a2) > 0.98 }

    /// Values of both delay elements of a second-order filter in the steady state for the input 1.
    var steadyState: (z1: Float, z2: Float) {
        let d = ((b1 - a1 * b0) + (b2 - a2 * b0)) / (1 + (a1 + a2))
        return (d, (1 + a1) * d - (b1 - a1 * b0))
    }
}
