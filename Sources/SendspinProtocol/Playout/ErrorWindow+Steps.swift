extension ErrorWindow {
    /// Number of tested rates on each side of the most probable rate.
    private static var rates: Int { 20 }
    /// Scale in seconds of noise that may exceed the limits of a step.
    private static var softness: Double { 30e-6 }
    /// Variance of an offset if its limits meet.
    private static var leastVariance: Double { 25e-12 }

    /// Fits a line to measurements with a clock that moves in steps of `step` seconds.
    ///
    /// Such a clock lags by 0 to 1 step, so a measurement is too high by as much and limits the true line from above
    /// and below. For each rate, the limits leave an interval of offsets. The width of this interval is the likelihood
    /// of the rate.
    ///
    /// Source: F. C. Schweppe, Recursive state estimation: unknown but bounded errors and system inputs, IEEE Trans.
    /// Automatic Control 13 (1968).
    func boundedByStep(_ step: Double, prior: ErrorLine, last: ErrorLine)
        -> (line: ErrorLine, width: Double)
    {
        var line = last
        line.x = end
        guard count > 1 else { return (line, step) }
        var widest = -Double.infinity
        let reach = min(max(4 * last.rateDeviation, 20e-6), 400e-6)
        var sums = (weight: 0.0, offset: 0.0, rate: 0.0, offsetSquare: 0.0, rateSquare: 0.0)
        for index in -Self.rates...Self.rates {
            let rate = last.rate + reach * Double(index) / Double(Self.rates)
            let (lowest, highest) = distances(rate: rate)
            let width = step - (highest - lowest)
            let deviation = (rate - prior.rate) / prior.rateDeviation
            let weight = Self.likelihood(width: width) * Self.fallingExponential(deviation * deviation / 2)
            widest = max(widest, width)
            // The lowest of n measurements is above the line by 1/n of their spread. If they reach both limits, the
            // middle is better, because the noise at both is equal.
            let reachesBoth = width < step / 5
            let offset = lowest - (reachesBoth ? width / 2 : (highest - lowest) / Double(count + 1))
            // Variance of a uniform distribution. While one limit is unknown, the line may be anywhere below the lowest
            // measurement.
            let variance = max(width, 0) * max(width, 0) / (reachesBoth ? 12 : 1) + Self.leastVariance
            sums.weight += weight
            sums.offset += weight * offset
            sums.rate += weight * rate
            sums.offsetSquare += weight * (offset * offset + variance)
            sums.rateSquare += weight * rate * rate
        }
        guard sums.weight > 0 else { return (line, widest) }
        line.offset = sums.offset / sums.weight
        line.rate = sums.rate / sums.weight
        line.offsetDeviation = max(sums.offsetSquare / sums.weight - line.offset * line.offset, 0).squareRoot()
        // The distance between tested rates limits the resolution.
        let least = reach / Double(Self.rates)
        line.rateDeviation = max(max(sums.rateSquare / sums.weight - line.rate * line.rate, 0).squareRoot(), least / 2)
        return (line, widest)
    }

    /// The lowest and the highest offset at the newest sample, of lines with `rate` through the samples.
    private func distances(rate: Double) -> (lowest: Double, highest: Double) {
        var lowest = Double.infinity
        var highest = -Double.infinity
        for index in 0..<count {
            let offset = self[index].y - rate * (self[index].x - end)
            lowest = min(lowest, offset)
            highest = max(highest, offset)
        }
        return (lowest, highest)
    }

    /// Proportional to `width`; falls towards 0 if the noise exceeds the limits.
    private static func likelihood(width: Double) -> Double {
        width > 0 ? width + softness : softness * fallingExponential(-width / softness)
    }

    /// Approximation of the exponential function of `-x` for `x` of at least 0.
    private static func fallingExponential(_ x: Double) -> Double {
        1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))))
    }
}
