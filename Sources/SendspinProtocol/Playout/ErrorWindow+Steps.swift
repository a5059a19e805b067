extension ErrorWindow {
    /// Number of rates that are compared, on each side of the most probable one.
    private static var rates: Int { 20 }
    /// Scale of the noise that may exceed the limits of a step, in seconds.
    private static var softness: Double { 30e-6 }
    /// Variance of an offset whose limits meet.
    private static var leastVariance: Double { 25e-12 }

    /// Fits a line to measurements with a clock that moves in steps of `step` seconds.
    ///
    /// Such a clock is behind by 0 to one step, so that a measurement is too high by as much: each one limits the true
    /// line from above and below. For each rate the limits leave an interval of offsets, whose width is the likelihood of
    /// the rate. Bounds of this kind are described by F. C. Schweppe, Recursive state estimation: unknown but bounded
    /// errors and system inputs, IEEE Trans. Automatic Control 13 (1968).
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
            // The lowest of n measurements is above the line by an nth of their spread. If they reach both limits, the
            // middle is better, because the noise at both is equal.
            let reachesBoth = width < step / 5
            let offset = lowest - (reachesBoth ? width / 2 : (highest - lowest) / Double(count + 1))
            // The variance of a uniform distribution; as long as one limit is unknown, the line may be anywhere below.
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
        // The distance of two rates limits the resolution.
        let least = reach / Double(Self.rates)
        line.rateDeviation = max(max(sums.rateSquare / sums.weight - line.rate * line.rate, 0).squareRoot(), least / 2)
        return (line, widest)
    }

    /// The lowest and the highest offset at the newest sample of lines with `rate` through the samples.
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

    /// Proportional to `width`, and falling towards 0 if the noise exceeds the limits.
    private static func likelihood(width: Double) -> Double {
        width > 0 ? width + softness : softness * fallingExponential(-width / softness)
    }

    /// Approximately the exponential function of `-x`, for `x` of at least 0.
    private static func fallingExponential(_ x: Double) -> Double {
        1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))))
    }
}
