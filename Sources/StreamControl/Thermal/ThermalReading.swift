/// A zone, and where it was found.
public struct NamedZone: Sendable, Equatable {
    public enum Source: Sendable, Equatable {
        case thermal, monitor, battery
    }

    /// As `type` or a driver calls it; several may have the same name.
    public let name: String
    /// The folder it was read from, which is its own.
    public let id: String
    public let source: Source
    public let zone: ThermalZone

    public init(_ name: String, id: String? = nil, source: Source = .thermal, _ zone: ThermalZone) {
        self.name = name
        self.id = id ?? name
        self.source = source
        self.zone = zone
    }
}

/// What the sensors said at one time.
public struct ThermalReading: Sendable, Equatable {
    public var zones: [NamedZone]
    public var throttle: ThrottleBits?
    /// Tells one reading from the next, in nanoseconds; nil when each is a new one.
    public var takenAt: UInt64?

    public init(zones: [NamedZone] = [], throttle: ThrottleBits? = nil, takenAt: UInt64? = nil) {
        self.zones = zones
        self.throttle = throttle
        self.takenAt = takenAt
    }

    /// What patterns can choose, each name once.
    public var names: [String] {
        var seen: Set<String> = []
        let all = zones.map(\.name) + (throttle == nil ? [] : [ThrottleBits.zoneName])
        return all.filter { seen.insert($0).inserted }
    }

    /// The zones that count: those chosen by name; or, when none are, the kernel's own, the batteries, and what
    /// hardware monitors say only where no zone of the kernel says at which temperature the machine slows down.
    public func chosen(by patterns: GlobPatterns) -> ThermalReading {
        guard patterns.isEmpty else {
            return ThermalReading(
                zones: zones.filter { patterns.choose($0.name) },
                throttle: patterns.choose(ThrottleBits.zoneName) ? throttle : nil, takenAt: takenAt)
        }
        let hasKernelZone = zones.contains { $0.source == .thermal && $0.zone.tellsWhereItSlowsDown }
        return ThermalReading(
            zones: hasKernelZone ? zones.filter { $0.source != .monitor } : zones, throttle: throttle,
            takenAt: takenAt)
    }

    /// The level of all that counts when nothing is chosen, as of now: without memory, hysteresis and forecast.
    public var level: ThermalLevel {
        let zones = chosen(by: GlobPatterns(nil)).zones.map(\.zone)
        return max(ThermalZone.level(of: zones), throttle?.level ?? .unknown)
    }
}
