import MachineState

/// Computes one level from the readings of all zones.
///
/// A level begins at its trip point, or earlier if the trend reaches the trip point within `horizon`. It ends
/// `hysteresis` degrees below the trip point. Shutdown requires two consecutive readings. When a hot zone can no longer
/// be read, the level is unknown for one minute, unless another zone is as hot.
public struct ThermalJudge: Sendable {
    /// Time that the forecast looks ahead; zero for no forecast.
    public var horizon: Duration = .seconds(10)
    /// Hysteresis in degrees, for zones whose trip points have none.
    public var hysteresis = 5.0

    private struct Memory {
        var level = ThermalLevel.nominal
        var trend = TemperatureTrend()
        var seenAt = Duration.zero
        var isAtShutdown = false
        var takenAt: Duration?
    }

    /// Identity of a zone; includes its name, because the kernel may renumber zones.
    private struct Key: Hashable {
        let name: String
        let id: String

        init(_ zone: NamedZone) {
            name = zone.name
            id = zone.id
        }

        func mayBe(_ other: Self) -> Bool {
            name == other.name || (id == other.id && (name == id || other.name == other.id))
        }
    }

    private var memories: [Key: Memory] = [:]
    /// Time for which the level of a zone that has disappeared is kept.
    private static let patience = Duration.seconds(60)
    /// Highest level that a forecast can set, because a forecast alone justifies only the first step.
    private static let highestForecast = ThermalLevel.serious

    public init() {}

    /// Computes the level from the zones of `reading`.
    ///
    /// `others` are all present zones, including zones that are not selected. None of them counts as lost.
    public mutating func judge(
        _ reading: ThermalReading, beside others: [NamedZone] = [], at now: Duration
    ) -> HeatReport {
        var report = HeatReport()
        var hottest = -Double.infinity
        let present = Set(reading.zones.map(Key.init))
        for named in reading.zones {
            recognise(Key(named), among: present)
            guard let thresholds = named.zone.thresholds else { continue }
            let (level, forecast, cause) = level(of: named, thresholds, takenAt: reading.takenAt, at: now)
            let headroom = thresholds.headroomUsed(at: named.zone.celsius)
            guard (level, headroom) > (report.level, hottest) else { continue }
            hottest = headroom
            report.level = level
            report.cause = cause
            report.zone = named.name
            report.celsius = named.zone.celsius
            report.headroom = headroom
            report.forecast = forecast
        }
        if report.celsius == nil, let any = reading.zones.max(by: { $0.zone.celsius < $1.zone.celsius }) {
            report.zone = any.name
            report.celsius = any.zone.celsius
        }
        if let throttle = reading.throttle, throttle.level > report.level {
            report.level = throttle.level
            report.cause = .firmware
            report.zone = ThrottleBits.zoneName
        }
        for other in others where !present.contains(Key(other)) { memories[Key(other)] = nil }
        memories = memories.filter { now - $0.value.seenAt <= Self.patience }
        let lost = memories.values.filter { $0.seenAt < now && $0.level > .nominal }.map(\.level).max() ?? .unknown
        if lost > report.level { (report.level, report.cause) = (.unknown, nil) }
        return report
    }

    /// Matches a zone with one that has disappeared, because a zone may return with another number or without a name.
    private mutating func recognise(_ zone: Key, among present: Set<Key>) {
        guard memories[zone] == nil,
            let old = memories.first(where: { $0.key.mayBe(zone) && !present.contains($0.key) })
        else { return }
        memories[old.key] = nil
        memories[zone] = old.value
    }

    private mutating func level(
        of named: NamedZone, _ thresholds: ThermalThresholds, takenAt: Duration?, at now: Duration
    ) -> (level: ThermalLevel, forecast: Double?, cause: HeatReport.Cause) {
        let celsius = named.zone.celsius
        var memory = memories[Key(named)] ?? Memory()
        // A reading counts once, although it may be passed several times.
        let isNew = takenAt == nil || takenAt != memory.takenAt
        memory.takenAt = takenAt
        if isNew { memory.trend.add(celsius, at: now) }
        let width = thresholds.hysteresis ?? hysteresis
        var level = thresholds.level(at: celsius, after: memory.level, hysteresis: width)
        var forecast: Double?
        var expectedLevel = ThermalLevel.unknown
        if horizon > .zero, let slope = memory.trend.slope {
            let expected = celsius + max(-100, min(100, slope * (horizon / .seconds(1))))
            forecast = thresholds.headroomUsed(at: expected)
            expectedLevel = min(thresholds.level(at: expected), Self.highestForecast)
            level = max(level, expectedLevel)
        }
        // A single reading may be wrong, and shutdown cannot be reverted.
        let isAtShutdown = level == .shutdown
        let isConfirmed = memory.level == .shutdown || (isNew && memory.isAtShutdown)
        if isAtShutdown, !isConfirmed { level = .critical }
        memory.isAtShutdown = isAtShutdown
        memory.level = level
        memory.seenAt = now
        memories[Key(named)] = memory
        let cause: HeatReport.Cause =
            thresholds.level(at: celsius) >= level ? .temperature : expectedLevel >= level ? .forecast : .hysteresis
        return (level, forecast, cause)
    }
}

/// Trend of a temperature: the least squares slope of 3 to 30 samples, as in Android's `getThermalHeadroom`.
struct TemperatureTrend: Sendable {
    private var samples: [(seconds: Double, celsius: Double)] = []

    private static let most = 30
    /// Minimum number of samples from which a trend is computed.
    private static let least = 3
    /// Seconds after which a sample no longer counts.
    private static let memory = 30.0

    mutating func add(_ celsius: Double, at now: Duration) {
        let seconds = now / .seconds(1)
        if let last = samples.last, seconds <= last.seconds { return }
        samples.removeAll { seconds - $0.seconds > Self.memory }
        if samples.count == Self.most { samples.removeFirst() }
        samples.append((seconds, celsius))
    }

    /// Slope in degrees per second; nil with too few samples, 0 if the samples are noise.
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
        // Share of the variance that the line explains; below one half the samples are noise.
        guard (together * together) / (spread * scatter) >= 0.5 else { return 0 }
        return together / spread
    }
}
