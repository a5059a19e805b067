/// A zone with its name and origin.
public struct NamedZone: Sendable, Equatable {
    /// Place in which the kernel lists a zone.
    public enum Source: Sendable, Equatable {
        /// `/sys/class/thermal`, `/sys/class/hwmon`, or a battery in `/sys/class/power_supply`.
        case thermal, monitor, battery
    }

    /// Content of the file `type`, or name of the driver; several zones may have the same name.
    public let name: String
    /// Folder of the zone, which is unique.
    public let id: String
    /// Place in which the kernel lists the zone.
    public let source: Source
    /// Temperature and trip points.
    public let zone: ThermalZone

    /// Creates a named zone; if `id` is nil, the name identifies the zone.
    public init(_ name: String, id: String? = nil, source: Source = .thermal, _ zone: ThermalZone) {
        self.name = name
        self.id = id ?? name
        self.source = source
        self.zone = zone
    }
}

/// All thermal sensors, read at one time.
public struct ThermalReading: Sendable, Equatable {
    /// Zones, in any order.
    public var zones: [NamedZone]
    /// Throttling state of a Raspberry Pi; nil on other machines.
    public var throttle: ThrottleBits?
    /// Time of the reading, which identifies the reading; nil if every reading counts as new.
    public var takenAt: Duration?

    /// Creates a reading from its parts.
    public init(zones: [NamedZone] = [], throttle: ThrottleBits? = nil, takenAt: Duration? = nil) {
        self.zones = zones
        self.throttle = throttle
        self.takenAt = takenAt
    }

    /// Names that patterns can select, each once.
    public var names: [String] {
        var seen: Set<String> = []
        let all = zones.map(\.name) + (throttle == nil ? [] : [ThrottleBits.zoneName])
        return all.filter { seen.insert($0).inserted }
    }

    /// Zones that `patterns` select.
    ///
    /// Without patterns, these are the zones of the kernel and the batteries. Hardware monitors are included only if no
    /// zone of the kernel has a trip point at which the machine slows down.
    public func chosen(by patterns: GlobPatterns) -> ThermalReading {
        guard patterns.isEmpty else {
            return ThermalReading(
                zones: zones.filter { patterns.choose($0.name) },
                throttle: patterns.choose(ThrottleBits.zoneName) ? throttle : nil, takenAt: takenAt)
        }
        let hasKernelZone = zones.contains { $0.source == .thermal && $0.zone.hasSlowingTrip }
        return ThermalReading(
            zones: hasKernelZone ? zones.filter { $0.source != .monitor } : zones, throttle: throttle,
            takenAt: takenAt)
    }

    /// Level of this reading, without patterns, hysteresis and forecast.
    public var level: ThermalLevel {
        let zones = chosen(by: GlobPatterns(nil)).zones.map(\.zone)
        return max(ThermalZone.level(of: zones), throttle?.level ?? .unknown)
    }
}
