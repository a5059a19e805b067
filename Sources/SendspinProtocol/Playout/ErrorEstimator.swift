extension FrameCorrector {
    /// Estimates from noisy measurements how late a device would play without corrections, as a line over time whose
    /// slope is the rate error of the device's clock.
    struct ErrorEstimator: Sendable {
        /// Minimum time in seconds that the measurements cover; a shorter time would not show the rate.
        static let leastAge = 4.0
        /// Maximum age of a measurement in seconds.
        static let mostAge = 30.0
        /// Standard deviation of the error in seconds at which older measurements are no longer required.
        static let sufficientDeviation = 12e-6
        /// Minimum distance of an outlier from the line in seconds.
        static let leastOutlier = 150e-6
        /// Minimum distance in seconds of an outlier among the first measurements, while the noise is unknown.
        static let earlyOutlier = 600e-6
        /// Number of measurements that must precede a new one before it is tested as an outlier.
        static let leastCount = 8
        /// Number of measurements up to which outliers among the earlier measurements are also removed.
        static let earlyCount = 16
        /// Number of successive outliers that count as a real change of the error.
        static let maxOutliers = 6
        /// Number of newest measurements that are tested for a bend of the line.
        static let bendCount = 12
        /// Minimum standard deviation of a rate that was measured before a discontinuity.
        static let keptRateDeviation = 10e-6

        private(set) var line = ErrorLine()
        private var prior = ErrorLine()
        private var window = ErrorWindow()
        private var outliers = ErrorWindow()

        var count: Int { window.count }
        /// Time in seconds that the measurements cover.
        var span: Double { window.span }

        /// Adds the error `y` of the frame at `x`, both in seconds.
        mutating func add(x: Double, y: Double) {
            if isOutlier(x: x, y: y) {
                outliers.append(.init(x: x, y: y))
                guard outliers.count >= Self.maxOutliers else { return }
                restart()
                for index in 0..<outliers.count { window.append(outliers[index]) }
            } else {
                window.append(.init(x: x, y: y))
            }
            outliers.removeAll()
            window.trim(needed: neededCount, least: Self.leastAge, most: Self.mostAge)
            fit()
        }

        /// Forgets the offset, and keeps the rate as a prior.
        mutating func forgetOffset() {
            restart()
            outliers.removeAll()
        }

        private mutating func restart() {
            prior.rate = line.rate
            prior.rateDeviation = max(line.rateDeviation, Self.keptRateDeviation)
            prior.noise = line.noise
            line = prior
            window.removeAll()
        }

        private func isOutlier(x: Double, y: Double) -> Bool {
            guard window.count >= Self.leastCount else { return false }
            let limit = max(5 * line.noise, Self.leastOutlier) + 3 * line.rateDeviation * (x - line.x)
            return (y - line.error(at: x)).magnitude > limit
        }

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
            line = squares
            let isEarly = window.count <= Self.earlyCount
            line.noise = max(window.deviation(from: squares), isEarly ? ErrorLine.initialNoise : ErrorLine.leastNoise)
            prior.noise = line.noise
            dropBend(squares)
        }

        /// Keeps only the newest measurements if they are systematically off the line.
        ///
        /// The line bends because each burst of exchanges changes the estimated server clock by some microseconds.
        private mutating func dropBend(_ squares: ErrorLine) {
            guard window.count > 3 * Self.bendCount else { return }
            let distance = window.newestDistance(Self.bendCount, from: squares).magnitude
            let deviation = line.noise / Double(Self.bendCount).squareRoot()
            guard distance > max(5 * deviation, 25e-6) else { return }
            prior.rate = squares.rate
            prior.rateDeviation = max(squares.rateDeviation, 2 * Self.keptRateDeviation)
            window.removeFirst(window.count - Self.bendCount)
        }
    }
}
