extension FrameCorrector {
    /// Estimates from noisy measurements how late a device would play without corrections, as a line over time whose
    /// slope is the rate error of the device's clock.
    struct ErrorEstimator: Sendable {
        /// Minimum time in seconds that the measurements cover; a shorter time would not show the rate.
        static let leastAge = 4.0
        /// Like `leastAge`, for a smoothed clock: twice the time for which a wrong report is seen.
        ///
        /// PulseAudio reports every 1.5 s, and its client library returns to the right time within 9 s.
        static let smoothedAge = 20.0
        /// Error in seconds above which no report of a sound server is wrong; the largest one that was recorded is 9 ms.
        static let largestWrongReport = 10e-3
        /// Maximum age of a measurement in seconds.
        static let mostAge = 30.0
        /// Standard deviation of the error in seconds at which older measurements are no longer required.
        static let sufficientDeviation = 12e-6
        /// Minimum distance of an outlier from the line in seconds.
        static let leastOutlier = 150e-6
        /// Minimum distance in seconds of an outlier among the first measurements, while the noise is unknown.
        static let earlyOutlier = 600e-6
        /// Number of measurements that must precede a new one before it is tested as an outlier.
        static let leastCount = 3
        /// Number of measurements up to which outliers among the earlier measurements are also removed.
        static let earlyCount = 16
        /// Number of successive outliers that agree, and so count as a real change of the error.
        static let maxOutliers = 6
        /// Number of newest measurements that are tested for a bend of the line.
        static let bendCount = 12
        /// Largest rate of a clock; NTP permits each of two clocks 500 ppm (RFC 5905).
        static let largestRate = 1000e-6
        /// Minimum standard deviation of a rate that was measured before a discontinuity.
        static let keptRateDeviation = 10e-6

        /// Whether the clock of the device is smoothed between reports that may be wrong for seconds.
        var isSmoothed = false
        /// Time of the newest measurement.
        private(set) var newest = 0.0
        private(set) var line = ErrorLine()
        private var prior = ErrorLine()
        private var window = ErrorWindow()
        private var outliers = ErrorWindow()
        /// Time of the newest measurement that was used.
        private var used = -Double.infinity

        var count: Int { window.count }
        /// Time in seconds that the measurements cover.
        var span: Double { window.span }

        /// Adds the error `y` of the frame at `x`, both in seconds.
        mutating func add(x: Double, y: Double) {
            newest = x
            // The windows must hold measurements of `mostAge`, also from short buffers.
            if isSmoothed, x - used < Self.mostAge / Double(ErrorWindow.capacity) { return }
            used = x
            if isOutlier(x: x, y: y) {
                outliers.append(.init(x: x, y: y))
                let first = firstOutlierOfTheLastJump
                let agree = outliers.count - first >= Self.maxOutliers
                guard agree || outliers.span > leastAge || outliers.count == ErrorWindow.capacity else { return }
                if isSmoothed, mayBeWrongReport(x: x, y: y) { return }
                restart()
                for index in (agree ? first : 0)..<outliers.count { window.append(outliers[index]) }
            } else {
                window.append(.init(x: x, y: y))
            }
            outliers.removeAll()
            window.trim(needed: neededCount, least: leastAge, most: Self.mostAge)
            fit()
        }

        /// Whether the present outliers may come from a wrong report of a sound server.
        ///
        /// They are real if they last as long as the measurements that they contradict, or longer than a wrong report.
        private func mayBeWrongReport(x: Double, y: Double) -> Bool {
            let smallest = min(distance(x, y), distance(outliers[0].x, outliers[0].y))
            return smallest < Self.largestWrongReport && outliers.span < min(window.span, Self.smoothedAge / 2)
        }

        private var leastAge: Double { isSmoothed ? Self.smoothedAge : Self.leastAge }

        /// Index of the first of the outliers that agree with the newest one; earlier ones are those of other jumps.
        private var firstOutlierOfTheLastJump: Int {
            let last = outliers.count - 1
            let limit = max(5 * line.noise, Self.earlyOutlier)
            let other = (0..<last).last { (outliers[$0].y - outliers[last].y).magnitude > limit }
            return other.map { $0 + 1 } ?? 0
        }

        /// Forgets the offset, and keeps the rate as a prior.
        mutating func forgetOffset() {
            restart()
            outliers.removeAll()
            used = -.infinity
        }

        private mutating func restart() {
            // Reports of a sound server may be wrong for as long as a rate.
            prior.rate = isSmoothed ? 0 : line.rate
            prior.rateDeviation =
                isSmoothed ? ErrorLine.unknownRate : max(line.rateDeviation, Self.keptRateDeviation)
            prior.noise = line.noise
            line = prior
            window.removeAll()
        }

        private func isOutlier(x: Double, y: Double) -> Bool {
            guard window.count >= Self.leastCount else { return false }
            let limit = max(5 * line.noise, Self.leastOutlier) + 3 * line.rateDeviation * (x - line.x)
            return distance(x, y) > limit
        }

        private func distance(_ x: Double, _ y: Double) -> Double { (y - line.error(at: x)).magnitude }

        /// Number of measurements that reduce the standard deviation of the error to `sufficientDeviation`.
        ///
        /// At the end of a regression line, the deviation is twice that of a mean.
        private var neededCount: Int {
            let ratio = 2 * line.noise / Self.sufficientDeviation
            return Int(min(ratio * ratio, 1e6))
        }

        private mutating func fit() {
            var squares = window.leastSquares(prior: prior)
            // The first measurements arrive when there is no line to compare them with, so outliers are removed here.
            if (3...Self.earlyCount).contains(window.count),
                let index = window.outlier(from: squares, limit: Self.earlyOutlier, ratio: 2.5)
            {
                window.remove(at: index)
                squares = window.leastSquares(prior: prior)
            }
            // No clock has this rate; the measurements are those of successive jumps, such as underruns.
            if window.span > leastAge / 2, squares.rate.magnitude > Self.largestRate {
                (prior.rate, prior.rateDeviation) = (0, ErrorLine.unknownRate)
                window.removeFirst(max(window.count - Self.maxOutliers, 0))
                squares = window.leastSquares(prior: prior)
            }
            line = squares
            let isEarly = window.count <= Self.earlyCount
            line.noise = max(window.deviation(from: squares), isEarly ? ErrorLine.initialNoise : ErrorLine.leastNoise)
            prior.noise = line.noise
            if !isSmoothed { dropBend(squares) }
        }

        /// Keeps only the newest measurements if they are systematically off the line.
        ///
        /// The line bends because each burst of exchanges changes the estimated server clock by some microseconds.
        private mutating func dropBend(_ squares: ErrorLine) {
            guard window.count > 3 * Self.bendCount else { return }
            let newest = window.newest(Self.bendCount, from: squares)
            // Jumps add to the noise of the window, not to that of its newest samples, which 12 may show too small.
            let deviation = min(line.noise, 3 * newest.deviation) / Double(Self.bendCount).squareRoot()
            guard newest.distance.magnitude > max(5 * deviation, 25e-6) else { return }
            prior.rate = squares.rate
            prior.rateDeviation = max(squares.rateDeviation, 2 * Self.keptRateDeviation)
            window.removeFirst(window.count - Self.bendCount)
        }
    }
}
