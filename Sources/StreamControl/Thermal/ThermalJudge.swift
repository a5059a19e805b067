/// How hot the machine is, and which zone says so.
public struct HeatReport: Sendable, Equatable {
    public var level = ThermalLevel.unknown
    /// Nil while the level is unknown.
    public var cause: LevelCause?
    /// The zone nearest to its first trip, or the one that made the level.
    public var zone: String?
    public var celsius: Double?
    /// 1 is at the first trip, 0 is 30 degrees below.
    public var headroom: Double?
    /// The headroom expected at the horizon.
    public var forecast: Double?

    public init() {}
}

/// Turns readings of all zones into one level.
///
/// A level begins where the trips say, or earlier when the trend will be there within `horizon`, and ends only
/// `hysteresis` degrees below. Shutdown needs two readings in a row. A hot zone that cannot be read any more is not
/// taken for a cool one: the level is unknown until the others are as hot, or a minute has passed.
public struct ThermalJudge: Sendable {
    /// How far ahead the forecast looks; zero for none.
    public var horizon: Duration = .seconds(10)
    /// Degrees, for zones whose trips have none of their own.
    public var hysteresis = 5.0

    private struct Memory {
        var level = ThermalLevel.nominal
        var trend = TemperatureTrend()
        var seenAt = Duration.zero
        var readings = 0
        var isAtShutdown = false
        /// The reading that was judged last.
        var takenAt: UInt64?
    }

    /// Numbers are given anew, so that a name goes with each.
    private struct Key: Hashable {
        let name: String
        let id: String

        init(_ zone: NamedZone) {
            name = zone.name
            id = zone.id
        }

        func isPerhaps(_ other: Self) -> Bool {
            name == other.name || (id == other.id && (name == id || other.name == other.id))
        }
    }

    private var memories: [Key: Memory] = [:]
    /// How long a zone that vanished is remembered.
    private static let patience = Duration.seconds(60)
    /// What is only expected calls for the first step, not for all.
    private static let highestForecast = ThermalLevel.serious

    public init() {}

    /// Judges the zones of `reading`; those of `others` are there as well, and do not count.
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

    /// A zone that is back under another number is the one that vanished, and so is one whose name is read again.
    private mutating func recognise(_ zone: Key, among present: Set<Key>) {
        guard memories[zone] == nil,
            let old = memories.first(where: { $0.key.isPerhaps(zone) && !present.contains($0.key) })
        else { return }
        memories[old.key] = nil
        memories[zone] = old.value
    }

    private mutating func level(
        of named: NamedZone, _ thresholds: ThermalThresholds, takenAt: UInt64?, at now: Duration
    ) -> (level: ThermalLevel, forecast: Double?, cause: LevelCause) {
        let celsius = named.zone.celsius
        var memory = memories[Key(named)] ?? Memory()
        // The same reading looked at twice says no more than once.
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
        // One reading may be a sensor's slip, and shutdown cannot be taken back.
        let isAtShutdown = level == .shutdown
        let isConfirmed = memory.level == .shutdown || (isNew && memory.isAtShutdown)
        if isAtShutdown, !isConfirmed { level = .critical }
        memory.isAtShutdown = isAtShutdown
        memory.level = level
        memory.seenAt = now
        memories[Key(named)] = memory
        let cause: LevelCause =
            thresholds.level(at: celsius) >= level ? .temperature : expectedLevel >= level ? .forecast : .hysteresis
        return (level, forecast, cause)
    }
}
