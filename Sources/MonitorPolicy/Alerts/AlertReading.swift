import Durations

/// Values of one metric in both windows.
struct AlertReading: Sendable, Equatable {
    /// Value in the long window, in the unit of the metric.
    var value: Double
    /// Value in the short window, in the unit of the metric.
    var recent: Double
    /// Number of samples in the long window.
    var samples: UInt64
    /// Whether there are enough samples, over a long enough time, to raise an alert.
    var isSufficient: Bool
}

extension AlertReading {
    /// Reads a metric of frames from both windows of an element; nil if a window has no value.
    ///
    /// Reads ages if the metric is an age, or if no frames pass through the element. Otherwise reads latencies.
    init?(
        _ limit: Target.Limit, of target: Target, long: WindowFigures, short: WindowFigures, shortWindow: Duration
    ) {
        let usesAge = long.usesAge(limit.metric)
        let all = usesAge ? long.age.histogram : long.latency.histogram
        let latest = usesAge ? short.age.histogram : short.latency.histogram
        var expected: UInt64 = 0
        samples = all.count
        switch limit.metric {
        case .rate:
            // After a gap, less than half of the short window may remain, which is too little to compute a rate.
            guard let rate = long.rate, let now = short.rate, short.active >= shortWindow / 2 else { return nil }
            // A short window without frames is a stall, with a rate of 0.
            let isStalled = short.frames == 0 && short.active >= shortWindow / 10 * 9
            (value, recent) = (isStalled ? 0 : rate, now)
            (samples, expected) = (long.frames, UInt64(limit.value * long.active.inSeconds))
        case .compliance:
            guard let latency = target.complianceLimit else { return nil }
            let tolerated = Duration.nanoseconds(UInt64(latency.value * (1 + target.tolerance) * 1e9))
            guard let share = all.share(within: tolerated), let now = latest.share(within: tolerated) else {
                return nil
            }
            (value, recent) = (share, now)
        default:
            guard let share = limit.metric.quantile, let latency = all.quantile(share), latest.count > 0 else {
                return nil
            }
            // The short window may have too few frames for a quantile; P99 requires 100 frames.
            (value, recent) = (latency.inSeconds, (latest.quantile(share) ?? latest.longest).inSeconds)
        }
        // The first frames after a start are slow; the short window must contain none of them.
        isSufficient = max(samples, expected) >= target.samples && long.active >= shortWindow * 2
    }

    init?(_ history: GaugeHistory, shortWindow: Duration) {
        guard let long = history.mean(last: shortWindow * 12), let short = history.mean(last: shortWindow) else {
            return nil
        }
        value = long.value
        recent = short.value
        samples = long.count
        isSufficient = long.count >= 5
    }
}
