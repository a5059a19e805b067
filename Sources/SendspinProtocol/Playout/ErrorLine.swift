/// Error of a device with a constant rate and without corrections, as a line over time.
struct ErrorLine: Sendable, Equatable {
    /// Time in seconds at which the error is `offset`.
    var x = 0.0
    /// Error in seconds.
    var offset = 0.0
    /// Growth of the error in seconds per second.
    var rate = 0.0
    var offsetDeviation = Double.infinity
    var rateDeviation = Self.unknownRate
    /// Standard deviation of a measurement.
    var noise = Self.initialNoise

    /// Assumed standard deviation of an unknown device's rate; crystals of audio devices are within 100 ppm.
    static let unknownRate = 150e-6
    /// Assumed standard deviation of a measurement in seconds before the noise is known.
    static let initialNoise = 100e-6
    /// Minimum standard deviation of a measurement in seconds: the resolution of timestamps.
    static let leastNoise = 2e-6

    func error(at x: Double) -> Double { offset + rate * (x - self.x) }
}
