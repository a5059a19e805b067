import Durations

extension ServerClock {
    /// Kalman filter that estimates the offset and the drift of the server clock, in microseconds.
    ///
    /// Source: repository `time-filter` of the Sendspin project, with the same constants; the specification requires
    /// it.
    struct TimeFilter: Sendable {
        /// Ratio of the assumed standard deviation of a measurement to its largest error.
        static let deviationPerError = 0.5
        /// Variance that the drift gains per microsecond.
        static let driftNoise = 1e-11 * 1e-11
        /// Number of measurements before the filter can forget.
        static let forgettingStart = 100
        /// Ratio of residual to error above which the filter forgets.
        static let forgettingResidual = 3.0
        /// Factor by which forgetting multiplies the covariance.
        static let forgettingFactor = 4.0
        /// Ratio of squared drift to variance above which a drift is significant.
        static let significance = 4.0
        /// Minimum of a divisor, because an exchange over loopback may have an error of zero.
        static let leastVariance = 1e-9

        /// Number of measurements; the count stops at 100.
        private(set) var count = 0
        private(set) var updatedAt = Duration.zero
        private(set) var offset = 0.0
        private(set) var drift = 0.0
        private(set) var offsetVariance = Double.infinity
        private(set) var covariance = 0.0
        private(set) var driftVariance = 0.0

        /// The estimate; nil before the first exchange.
        var estimate: ClockEstimate? {
            guard count > 0 else { return nil }
            return ClockEstimate(
                at: updatedAt, offset: Duration(microseconds: offset), drift: usesDrift ? drift : 0,
                uncertainty: Duration(microseconds: deviation))
        }

        var usesDrift: Bool { count > 2 && drift * drift > Self.significance * driftVariance }

        private var deviation: Double { max(offsetVariance, 0).squareRoot() }

        /// Adds an exchange; one that is not plausible, or not later than the previous one, is ignored.
        mutating func add(_ exchange: TimeExchange) {
            guard exchange.isPlausible else { return }
            add(
                exchange.offset.inMicroseconds, error: exchange.error.inMicroseconds, at: exchange.arrived)
        }

        /// Measured minus predicted offset of `exchange`, and the standard deviation of the prediction.
        ///
        /// Nil before the second exchange, and for an exchange that is not later than the previous one.
        func residual(of exchange: TimeExchange) -> (value: Double, deviation: Double)? {
            let passed = (exchange.arrived - updatedAt).inMicroseconds
            guard count > 1, passed > 0 else { return nil }
            let variance = predictedVariance(after: passed)
            return (exchange.offset.inMicroseconds - (offset + drift * passed), max(variance, 0).squareRoot())
        }

        private func predictedVariance(after passed: Double) -> Double {
            offsetVariance + 2 * covariance * passed + driftVariance * (passed * passed)
        }

        mutating func add(_ measurement: Double, error: Double, at time: Duration) {
            guard count == 0 || time > updatedAt else { return }
            let passed = (time - updatedAt).inMicroseconds
            updatedAt = time
            let noise = error * Self.deviationPerError * (error * Self.deviationPerError)
            switch count {
            case 0:
                (offset, offsetVariance) = (measurement, noise)
                count = 1
            case 1:
                drift = (measurement - offset) / passed
                driftVariance = (offsetVariance + noise) / (passed * passed)
                (offset, offsetVariance) = (measurement, noise)
                count = 2
            default: correct(measurement, error: error, noise: noise, passed: passed)
            }
            // Times of a hostile server may cause an overflow of the covariance.
            guard offset.isFinite, drift.isFinite, offsetVariance.isFinite, driftVariance.isFinite else {
                self = Self()
                return
            }
        }

        /// Kalman filter: prediction after `passed`, then correction.
        private mutating func correct(_ measurement: Double, error: Double, noise: Double, passed: Double) {
            var predictedOffset = predictedVariance(after: passed)
            var predictedCovariance = covariance + driftVariance * passed
            var predictedDrift = driftVariance + passed * Self.driftNoise
            let prediction = offset + drift * passed
            let residual = measurement - prediction
            if count < Self.forgettingStart {
                count += 1
            } else if residual.magnitude > error * Self.forgettingResidual {
                predictedOffset *= Self.forgettingFactor
                predictedCovariance *= Self.forgettingFactor
                predictedDrift *= Self.forgettingFactor
            }
            let certainty = 1 / max(predictedOffset + noise, Self.leastVariance)
            let offsetGain = predictedOffset * certainty
            let driftGain = predictedCovariance * certainty
            offset = prediction + offsetGain * residual
            drift += driftGain * residual
            driftVariance = predictedDrift - driftGain * predictedCovariance
            covariance = predictedCovariance - driftGain * predictedOffset
            offsetVariance = predictedOffset - offsetGain * predictedOffset
        }
    }
}
