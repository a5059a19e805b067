extension FrameCorrector {
    /// Estimates from noisy measurements how late a device would play without corrections, as a line over time whose
    /// slope is the rate error of the device's clock.
    struct ErrorEstimator: Sendable {
        /// Minimum time in seconds that the measurements cover; a shorter time would not show the rate.
        static let leastAge = 4.0
        /// Like `leastAge`, for a smoothed clock: PulseAudio was seen wrong by more than 0.25 ms for 18 s after a start.
        static let smoothedAge = 20.0
        /// Minimum time in seconds that the first measurements by a smoothed clock cover before their rate is used.
        ///
        /// A replay of 40 starts of PulseAudio gives equal results with 10 to 15 s.
        static let startOfReports = 15.0
        /// Time in seconds between two reports of PulseAudio, whose measurements have the same error.
        static let reportInterval = 1.5
        /// Assumed standard deviation of a report in seconds until `startOfReports`.
        ///
        /// In 9 of 40 starts beside two busy loops, the reports were wrong by 2 to 8 ms. With 0.2 to 0.4 ms, a
        /// replay leads to at most one snap; with less, the line follows wrong reports.
        static let reportDeviation = 0.2e-3
        /// Assumed standard deviation of the rate until `startOfReports`: half of the 100 ppm within which crystals are.
        static let crystalDeviation = 50e-6
        /// Time in seconds for which outliers that agree must last behind a smoothed clock, to be no wrong report.
        ///
        /// A compromise: an underrun is corrected after this time, and a wrong report below 0.75 ms may last longer.
        static let agreementAge = 5.0
        /// Mean step in seconds between measurements at which they scatter, instead of being wrong for seconds.
        ///
        /// pipewire-pulse is wrong by up to a period of 21 ms at random. In a replay of PulseAudio, 0.5 to 1 ms are equal.
        static let largestStep = 1e-3
        /// Number of measurements over which the mean step is taken.
        ///
        /// With 4, one wrong report of PulseAudio counts as scatter, and the replay has three snaps; from 8 to 32 it is the
        /// same, but a clock that scatters is averaged later.
        static let stepCount = 8.0
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
        /// Least distance of two measurements that were used, and at most the time between reports.
        private var spacing = Self.reportInterval
        /// The newest measurement that was used, and the mean magnitude of the last steps between measurements, in seconds.
        private var last = (y: 0.0, step: 0.0)
        /// Whether the measurements since the start, or since a discontinuity, do not yet show the rate.
        private var isStart = true

        var count: Int { window.count }
        /// Time in seconds that the measurements cover.
        var span: Double { window.span }

        /// Adds the error `y` of the frame at `x`, both in seconds.
        mutating func add(x: Double, y: Double) {
            newest = x
            // The windows must hold measurements of `mostAge`, also from short buffers.
            if isSmoothed, x - used < Self.mostAge / Double(ErrorWindow.capacity) { return }
            spacing = min(spacing, x - used)
            if used.isFinite { last.step += ((y - last.y).magnitude - last.step) / Self.stepCount }
            (used, last.y) = (x, y)
            if isOutlier(x: x, y: y) {
                outliers.append(.init(x: x, y: y))
                let first = firstOutlierOfTheLastJump
                let agree = isSmoothed ? isReal(first) : outliers.count - first >= Self.maxOutliers
                guard agree || outliers.span > longestOutlier || outliers.count == ErrorWindow.capacity else { return }
                restart()
                // Outliers that last longer than those of one jump may be those of another rate.
                if outliers.span >= Self.agreementAge + Self.reportInterval { isStart = false }
                for index in (agree || isSmoothed ? first : 0)..<outliers.count { window.append(outliers[index]) }
            } else {
                window.append(.init(x: x, y: y))
            }
            outliers.removeAll()
            window.trim(needed: neededCount, least: leastAge, most: Self.mostAge)
            if window.span >= Self.startOfReports { isStart = false }
            fit()
        }

        /// Whether the outliers since `first`, which agree, do not come from a wrong report of a sound server.
        private func isReal(_ first: Int) -> Bool {
            let (oldest, newest) = (outliers[first], outliers[outliers.count - 1])
            guard outliers.count - first >= Self.maxOutliers else { return false }
            return distance(newest.x, newest.y) >= Self.largestWrongReport || newest.x - oldest.x >= Self.agreementAge
        }

        /// Time in seconds for which outliers may last: wrong reports last for 18 s at the start, then 9 s.
        private var longestOutlier: Double {
            isSmoothed ? (isStart ? Self.smoothedAge : Self.smoothedAge / 2) : Self.leastAge
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
            (used, spacing, last.step) = (-.infinity, Self.reportInterval, 0)
            isStart = true
        }

        private mutating func restart() {
            if !isStartOfReports { prior.rate = line.rate }
            // Reports of a sound server may be wrong for as long as a rate.
            prior.rateDeviation =
                isSmoothed ? ErrorLine.unknownRate : max(line.rateDeviation, Self.keptRateDeviation)
            prior.noise = line.noise
            line = prior
            window.removeAll()
        }

        private func isOutlier(x: Double, y: Double) -> Bool {
            guard window.count >= Self.leastCount else { return false }
            var growth = 3 * line.rateDeviation * (x - line.x)
            // While reports are wrong, the limit must not grow to their error; a gap may delay the estimate by 5 s. At the
            // start, the noise of measurements that scatter is not known yet.
            if isSmoothed { growth = isStart && isScattered ? 5 * last.step : 0 }
            return distance(x, y) > max(5 * line.noise, Self.leastOutlier) + growth
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
            var squares = window.leastSquares(prior: currentPrior)
            // The first measurements arrive when there is no line to compare them with, so outliers are removed here.
            if (3...Self.earlyCount).contains(window.count),
                let index = window.outlier(from: squares, limit: Self.earlyOutlier, ratio: 2.5)
            {
                window.remove(at: index)
                squares = window.leastSquares(prior: currentPrior)
            }
            // No clock has this rate; the measurements are those of successive jumps, such as underruns.
            if window.span > leastAge / 2, squares.rate.magnitude > Self.largestRate {
                (prior.rate, prior.rateDeviation) = (0, ErrorLine.unknownRate)
                window.removeFirst(max(window.count - Self.maxOutliers, 0))
                squares = window.leastSquares(prior: currentPrior)
            }
            line = squares
            let isEarly = window.count <= Self.earlyCount
            line.noise = max(window.deviation(from: squares), isEarly ? ErrorLine.initialNoise : ErrorLine.leastNoise)
            // Wrong reports increase the noise; without this limit, they would no longer be outliers.
            if isStartOfReports { line.noise = min(line.noise, ErrorLine.initialNoise) }
            prior.noise = line.noise
            if !isSmoothed { dropBend(squares) }
        }

        private var isScattered: Bool { last.step >= Self.largestStep }

        /// Whether few reports of a sound server were measured, which may all be wrong in the same way.
        private var isStartOfReports: Bool { isSmoothed && isStart && !isScattered }

        /// The prior, which at the start outweighs measurements that depend on few reports.
        private var currentPrior: ErrorLine {
            guard isStartOfReports else { return prior }
            var prior = prior
            prior.rateDeviation = Self.crystalDeviation
            prior.noise = Self.reportDeviation * min(Double(window.count), Self.reportInterval / spacing).squareRoot()
            return prior
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
