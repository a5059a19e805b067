/// Where a temperature goes: a straight line through what was read lately.
///
/// As Android's `getThermalHeadroom` forecasts: the least squares slope of at least 3 and at most 30 samples.
struct TemperatureTrend: Sendable {
    private var samples: [(seconds: Double, celsius: Double)] = []

    private static let most = 30
    private static let least = 3
    /// What is older than this tells nothing about the next seconds.
    private static let memory = 30.0

    mutating func add(_ celsius: Double, at now: Duration) {
        let seconds = now / .seconds(1)
        if let last = samples.last, seconds <= last.seconds { return }
        samples.removeAll { seconds - $0.seconds > Self.memory }
        if samples.count == Self.most { samples.removeFirst() }
        samples.append((seconds, celsius))
    }

    /// Degrees per second; nil while too little was read, or when noise could be taken for a slope.
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
        // The share of the scatter that the line explains; below a half it is noise.
        guard (together * together) / (spread * scatter) >= 0.5 else { return 0 }
        return together / spread
    }
}
