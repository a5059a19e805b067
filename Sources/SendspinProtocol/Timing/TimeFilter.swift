import Durations

/// Kalman filter that estimates the offset and the drift of the server clock.
///
/// The Sendspin specification requires this filter: the one of its repository `time-filter`, with the same constants.
/// Units are microseconds. The state is the offset and the drift, with a covariance matrix.
public struct TimeFilter: Sendable {
    /// Ratio of the assumed standard deviation of a measurement to its highest possible error.
    static let deviationPerError = 0.5
    /// Variance that the drift gains per microsecond.
    static let driftNoise = 1e-11 * 1e-11
    /// Number of measurements after which the filter may forget.
    static let forgettingStart = 100
    /// A residual of more than this multiple of the error makes the filter forget.
    static let forgettingResidual = 3.0
    /// Factor of the covariance when the filter forgets.
    static let forgettingFactor = 4.0
    /// A drift is significant if its square exceeds this multiple of its variance.
    static let significance = 4.0
    /// Lower limit of a divisor: loopback may have no error at all.
    static let leastVariance = 1e-9

    /// Number of measurements, at most 100.
    public private(set) var count = 0
    private(set) var updatedAt = Duration.zero
    private(set) var offset = 0.0
    private(set) var drift = 0.0
    private(set) var offsetVariance = Double.infinity
    private(set) var covariance = 0.0
    private(set) var driftVariance = 0.0

    /// A filter without measurements.
    public init() {}

    /// The estimate; nil before the first exchange.
    public var estimate: ClockEstimate? {
        guard count > 0 else { return nil }
        return ClockEstimate(
            at: updatedAt, offset: Duration(microseconds: offset), drift: usesDrift ? drift : 0,
            uncertainty: Duration(microseconds: deviation))
    }

    /// Whether the drift differs significantly from 0.
    var usesDrift: Bool { count > 2 && drift * drift > Self.significance * driftVariance }

    private var deviation: Double { max(offsetVariance, 0).squareRoot() }

    /// Updates the estimate.
    ///
    /// An exchange that is not plausible, or that did not end after the previous one, is ignored.
    public mutating func add(_ exchange: TimeExchange) {
        guard exchange.isPlausible else { return }
        add(
            exchange.offset.inMicroseconds, error: exchange.error.inMicroseconds, at: exchange.arrived)
    }

    /// The measured offset of `exchange` minus the predicted one, and the standard deviation of the prediction.
    ///
    /// Nil before the second exchange, and for an exchange that did not end after the previous one.
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
        // Times of a hostile server may overflow the covariance.
        guard offset.isFinite, drift.isFinite, offsetVariance.isFinite, driftVariance.isFinite else {
            self = Self()
            return
        }
    }

    /// The steps of a Kalman filter: prediction after `passed`, then correction.
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
