/// The trend of a temperature: a straight line through the last readings.
///
/// The least squares slope of 3 to 30 samples, as in Android's `getThermalHeadroom`.
struct TemperatureTrend: Sendable {
    private var samples: [(seconds: Double, celsius: Double)] = []

    private static let most = 30
    private static let least = 3
    /// Seconds for which a sample counts.
    private static let memory = 30.0

    mutating func add(_ celsius: Double, at now: Duration) {
        let seconds = now / .seconds(1)
        if let last = samples.last, seconds <= last.seconds { return }
        samples.removeAll { seconds - $0.seconds > Self.memory }
        if samples.count == Self.most { samples.removeFirst() }
        samples.append((seconds, celsius))
    }

    /// Degrees per second; nil with too few samples, 0 if the samples are noise.
    var slope: Double? {
        guard samples.count >= Self.least else { return nil }
        let count = Double(samples.count)
        let meanTime = samples.reduce(0) { $0 + $1.seconds } / count
        let mean = samples.reduce(0) { $0 + $1.celsius } / count
        var (spread, together, scatter) = (0.0, 0.0, 0.0)
        for sample in samples {
            let (time, value) = (sample.seconds - meanTime, sample.celsius - mean)
            spread += time * time
            together += time * value
            scatter += value * value
        }
        guard spread > 0, scatter > 0 else { return 0 }
        // The share of the variance that the line explains. Below one half the samples are noise.
        guard (together * together) / (spread * scatter) >= 0.5 else { return 0 }
        return together / spread
    }
}
