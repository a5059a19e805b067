import Durations

/// Values of one metric in both windows, as an excess over the target (see `Thresholds.excess`).
struct AlertReading: Sendable, Equatable {
    /// Value in the long window, in the unit of the metric.
    var value: Double
    /// Value in the short window, in the unit of the metric.
    var recent: Double
    var longExcess: Double
    var shortExcess: Double
    /// Number of samples in the long window.
    var samples: UInt64
    /// Whether there are enough samples, over a long enough time, to raise an alert.
    var isSufficient: Bool
}

extension AlertReading {
    /// Reads a metric of frames from both windows of an element; nil if a window has no value.
    init?(
        _ limit: Target.Limit, of target: Target, long: WindowFigures, short: WindowFigures, shortWindow: Duration
    ) {
        switch limit.metric {
        case .rate: self.init(rate: limit.value, target, long, short, shortWindow)
        default: self.init(latency: limit, target, long, short)
        }
        // The first frames after a start are slow; the short window must contain none of them.
        isSufficient = isSufficient && long.active >= shortWindow * 2
    }

    init?(_ limit: Target.Limit, in history: GaugeHistory, shortWindow: Duration) {
        guard let long = history.mean(last: shortWindow * 12), let short = history.mean(last: shortWindow) else {
            return nil
        }
        value = long.value
        recent = short.value
        longExcess = Thresholds.excess(limit.metric, of: value, over: limit.value)
        shortExcess = Thresholds.excess(limit.metric, of: recent, over: limit.value)
        samples = long.count
        isSufficient = long.count >= 5
    }

    /// Reads ages if the metric is an age or no frames pass through the element; otherwise latencies of the element.
    private init?(latency limit: Target.Limit, _ target: Target, _ long: WindowFigures, _ short: WindowFigures) {
        // A tuple of the two histograms would copy 12 KB.
        if long.usesAge(limit.metric) {
            self.init(limit, target, long.age.histogram, short.age.histogram)
        } else {
            self.init(limit, target, long.transit.histogram, short.transit.histogram)
        }
    }

    private init?(
        _ limit: Target.Limit, _ target: Target, _ long: DurationHistogram,
        _ short: DurationHistogram
    ) {
        if limit.metric == .compliance {
            self.init(compliance: limit.value, target, long, short)
        } else {
            self.init(percentile: limit, target, long, short)
        }
    }

    /// Uses the longest latency of a short window that has too few frames for a quantile; P99 requires 100 frames.
    private init?(
        percentile limit: Target.Limit, _ target: Target, _ long: DurationHistogram,
        _ short: DurationHistogram
    ) {
        guard let share = limit.metric.quantile, let value = long.quantile(share), short.count > 0 else { return nil }
        self.value = value.inSeconds
        recent = (short.quantile(share) ?? short.longest).inSeconds
        longExcess = self.value / limit.value
        shortExcess = recent / limit.value
        samples = long.count
        isSufficient = samples >= target.samples
    }

    private init?(
        compliance share: Double, _ target: Target, _ long: DurationHistogram,
        _ short: DurationHistogram
    ) {
        guard let limit = target.complianceLimit else { return nil }
        let tolerated = Duration.nanoseconds(UInt64(limit.value * (1 + target.tolerance) * 1e9))
        guard let value = long.share(within: tolerated), let recent = short.share(within: tolerated) else { return nil }
        self.value = value
        self.recent = recent
        longExcess = Thresholds.excess(.compliance, of: value, over: share)
        shortExcess = Thresholds.excess(.compliance, of: recent, over: share)
        samples = long.count
        isSufficient = samples >= target.samples
    }

    /// Reads a rate; a short window without frames is a stall, with a rate of 0.
    private init?(
        rate: Double, _ target: Target, _ long: WindowFigures, _ short: WindowFigures, _ shortWindow: Duration
    ) {
        // After a gap, less than half of the short window may remain, which is too little to compute a rate.
        guard let value = long.rate, let recent = short.rate, short.active >= shortWindow / 2 else { return nil }
        let isStalled = short.frames == 0 && short.active >= shortWindow / 10 * 9
        self.value = isStalled ? 0 : value
        self.recent = recent
        longExcess = Thresholds.excess(.rate, of: self.value, over: rate)
        shortExcess = Thresholds.excess(.rate, of: recent, over: rate)
        let expected = UInt64(rate * long.active.inSeconds)
        samples = long.frames
        isSufficient = max(samples, expected) >= target.samples
    }
}
