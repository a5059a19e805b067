import Foundation

/// A meter of wow and flutter after IEC 60386: demodulation of 3,150 Hz, weighting, and quasi-peak detection.
struct FlutterMeter {
    private static let carrier = 3_150.0
    /// Rate of the demodulated speed error in hertz.
    private static let rate = 1_000

    /// The weighting: frequencies in hertz and levels in dB.
    private static let weighting: [(hertz: Double, level: Double)] = [
        (0.1, -48), (0.2, -30.6), (0.315, -19.7), (0.4, -15), (0.63, -8.4), (0.8, -6), (1, -4.2), (1.6, -1.8),
        (2, -0.9), (4, 0), (6.3, -0.9), (10, -2.1), (20, -5.9), (40, -10.4), (63, -14.2), (100, -17.3), (200, -23),
    ]

    /// Weighted peak of the speed error in percent.
    static func reading(_ samples: [Float], rate: Int) -> Double {
        quasiPeak(weighted(speedError(samples, rate: rate)))
    }

    /// Relative error of the speed: frequency of the tone divided by the carrier, less 1, at 1 kHz.
    private static func speedError(_ samples: [Float], rate: Int) -> [Double] {
        let step = rate / Self.rate
        // The product with the carrier, and the mean over 3 ms twice, which removes the doubled frequency.
        var (real, imaginary) = ([Double](), [Double]())
        for start in stride(from: 0, to: samples.count - step * 4, by: step) {
            var sum = (0.0, 0.0)
            for index in 0..<step * 4 {
                let angle = 2 * Double.pi * carrier * Double(start + index) / Double(rate)
                let window = 0.5 - 0.5 * cos(2 * Double.pi * (Double(index) + 0.5) / Double(step * 4))
                sum.0 += Double(samples[start + index]) * cos(angle) * window
                sum.1 -= Double(samples[start + index]) * sin(angle) * window
            }
            real.append(sum.0)
            imaginary.append(sum.1)
        }
        return (1..<real.count).map { index in
            let cross = real[index - 1] * imaginary[index] - imaginary[index - 1] * real[index]
            let dot = real[index - 1] * real[index] + imaginary[index - 1] * imaginary[index]
            return atan2(cross, dot) * Double(Self.rate) / (2 * Double.pi * carrier)
        }
    }

    /// Applies the weighting in the frequency domain.
    private static func weighted(_ error: [Double]) -> [Double] {
        let count = error.count
        let mean = error.reduce(0, +) / Double(count)
        let resolution = Double(rate) / Double(count)
        let cosines = (0..<count).map { cos(2 * Double.pi * Double($0) / Double(count)) }
        let sines = (0..<count).map { sin(2 * Double.pi * Double($0) / Double(count)) }
        var result = [Double](repeating: 0, count: count)
        for bin in 1...Int(200 / resolution) {
            var (real, imaginary) = (0.0, 0.0)
            for (index, value) in error.enumerated() {
                real += (value - mean) * cosines[bin * index % count]
                imaginary += (value - mean) * sines[bin * index % count]
            }
            let scale = 2 * weight(Double(bin) * resolution) / Double(count)
            for index in result.indices {
                let turn = bin * index % count
                result[index] += scale * (real * cosines[turn] + imaginary * sines[turn])
            }
        }
        return result
    }

    static func weight(_ hertz: Double) -> Double {
        guard let upper = weighting.firstIndex(where: { $0.hertz >= hertz }), upper > 0 else { return 0 }
        let (low, high) = (weighting[upper - 1], weighting[upper])
        let part = log(hertz / low.hertz) / log(high.hertz / low.hertz)
        return pow(10, (low.level + part * (high.level - low.level)) / 20)
    }

    /// Half of the sum of the peaks in both directions, in percent; a sine of 4 Hz reads its peak.
    private static func quasiPeak(_ weighted: [Double]) -> Double {
        let sine = (0..<8_000).map { sin(2 * Double.pi * 4 * Double($0) / Double(rate)) }
        return detected(weighted) / detected(sine) * 100
    }

    private static func detected(_ values: [Double]) -> Double {
        var (up, down) = (Detector(), Detector())
        var largest = 0.0
        for (index, value) in values.enumerated() {
            let sum = up.step(value) + down.step(-value)
            // The first seconds charge the detectors.
            if index > 2_000 { largest = max(largest, sum / 2) }
        }
        return largest
    }

    /// The largest value of the detector after a pulse of some milliseconds; the standard lists 10, 30, 60 and 100 ms.
    static func pulseReading(milliseconds: Int) -> Double {
        var detector = Detector()
        return (0..<milliseconds).map { _ in detector.step(1) }.max()!
    }

    /// The reading 900 ms after the end of a pulse of 100 ms with the height 1.
    static func remainder() -> Double {
        var detector = Detector()
        for _ in 0..<100 { _ = detector.step(1) }
        return (0..<900).map { _ in detector.step(0) }.last!
    }

    /// A detector whose dynamics are those of the standard.
    private struct Detector {
        private var charge = 0.0

        mutating func step(_ value: Double) -> Double {
            charge += value > charge ? (value * (value - charge)).squareRoot() / 44 : -charge / 1_000
            return charge
        }
    }
}
