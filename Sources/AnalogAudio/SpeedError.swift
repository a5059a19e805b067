/// Wow and flutter: the time by which the tape is late, as a sum of three sinusoids.
///
/// The setting is the weighted peak of the speed error in percent, as a meter after IEC 60386 shows it.
struct SpeedError {
    /// Frequencies in hertz of the capstan, of the pulleys, and of the drum with 1798 revolutions per minute.
    private static let frequencies = SIMD3(1.9, 6.7, 29.97)
    /// The reading of the meter for a sinusoid with the weighted peak 1; it discharges between slow peaks.
    private static let readings = SIMD3(0.965, 1, 1)
    /// The reading of a sum is (Σ rᵖ)^(1/p), within 6 % for all shares, because the peaks rarely coincide.
    private static let exponent = 4.0 / 3

    /// Amplitudes of the delay in samples.
    private let amplitudes: SIMD3<Double>
    private let phases: SIMD3<Double>
    private let rate: Double

    /// `percent` is that of one generation; the errors of several add as independent ones do.
    init(percent: Float, flutterShare: Float, generations: Int32, seed: Int32, rate: Double) {
        self.rate = rate
        let peak = Double(percent) / 100 * Double(generations).squareRoot()
        let flutter = Double(flutterShare)
        let shares = SIMD3(1 - flutter, flutter * 0.7, flutter * 0.3)
        var amplitudes = SIMD3<Double>.zero
        var phases = SIMD3<Double>.zero
        let noise = WhiteNoise(seed: seed, .wow)
        var sum = 0.0
        for index in 0..<3 { sum += power(shares[index] * Self.readings[index], Self.exponent) }
        let reading = power(sum, 1 / Self.exponent)
        for index in 0..<3 {
            let frequency = Self.frequencies[index]
            let error = peak / reading * shares[index] / FlutterWeighting.weight(at: frequency)
            amplitudes[index] = error / (2 * Double.pi * frequency) * rate
            phases[index] = noise.unit(Int64(index)) * 2 * Double.pi
        }
        (self.amplitudes, self.phases) = (amplitudes, phases)
    }

    /// Whether the speed is constant.
    var isNone: Bool { amplitudes == .zero }

    /// Bound of the delay in samples, for all settings.
    ///
    /// The delay is at most `Σ cᵢ xᵢ` with `(Σ xᵢᵖ)^(1/p)` equal to the peak, where `xᵢ` are the readings of the
    /// sinusoids and `cᵢ` their delays per reading. By Hölder's inequality this is at most the peak times
    /// `(Σ cᵢ^q)^(1/q)`, with `1/p + 1/q = 1`.
    static func largestDelay(rate: Double) -> Double {
        let conjugate = exponent / (exponent - 1)
        var sum = 0.0
        for index in 0..<3 {
            let frequency = frequencies[index]
            let delay = 1 / (2 * Double.pi * frequency * FlutterWeighting.weight(at: frequency) * readings[index])
            sum += power(delay, conjugate)
        }
        let peak = Double(TapeSettings.largestWowFlutter) / 100 * Double(TapeSettings.mostGenerations).squareRoot()
        return peak * power(sum, 1 / conjugate) * rate
    }

    /// The delay at a position, in samples; its mean is 0.
    func delay(at position: Int64) -> Double {
        let time = Double(position) / rate
        var delay = 0.0
        for index in 0..<3 where amplitudes[index] != 0 {
            delay += amplitudes[index] * cosine(2 * Double.pi * Self.frequencies[index] * time + phases[index])
        }
        return delay
    }
}

/// The weighting of IEC 60386, which has its maximum at 4 Hz.
enum FlutterWeighting {
    /// Frequencies in hertz and levels in dB of the standard.
    private static let table: [(frequency: Double, level: Float)] = [
        (0.2, -30.6), (0.315, -19.7), (0.4, -15), (0.63, -8.4), (0.8, -6), (1, -4.2), (1.6, -1.8), (2, -0.9), (4, 0),
        (6.3, -0.9), (10, -2.1), (20, -5.9), (40, -10.4), (63, -14.2), (100, -17.3), (200, -23),
    ]

    /// The factor at a frequency in the range of the table, interpolated between logarithms of the frequency.
    static func weight(at frequency: Double) -> Double {
        guard let upper = table.firstIndex(where: { $0.frequency >= frequency }), upper > 0 else { return 1 }
        let (low, high) = (table[upper - 1], table[upper])
        let part = logarithm(frequency / low.frequency) / logarithm(high.frequency / low.frequency)
        return decibels(low.level + Float(part) * (high.level - low.level))
    }
}
