/// One sensor as `/sys/class/thermal/thermal_zone*` tells of it.
///
/// The files are described in the kernel's `Documentation/driver-api/thermal/sysfs-api.rst`.
public struct ThermalZone: Sendable, Equatable {
    /// A temperature at which the kernel does something.
    public struct Trip: Sendable, Equatable {
        public let kind: String
        public let celsius: Double
        /// How far below the trip it ends; nil when the kernel does not say.
        public let hysteresis: Double?

        /// Some firmware says 20.8 degrees, where nothing ever happens.
        private static let lowest = 40.0

        /// From `trip_point_N_type`, `trip_point_N_temp` and `trip_point_N_hyst`; nil when that is no trip.
        public init?(kind: String, temperature: String, hysteresis: String? = nil) {
            guard let celsius = ThermalZone.celsius(temperature), celsius >= Self.lowest else { return nil }
            self.kind = kind.filter { !$0.isWhitespace }
            self.celsius = celsius
            self.hysteresis = hysteresis.flatMap(ThermalZone.celsius).flatMap { (0.5...30).contains($0) ? $0 : nil }
        }

        var slowsDown: Bool { kind == "passive" || kind == "hot" }

        public init(_ kind: String, celsius: Double) {
            self.kind = kind
            self.celsius = celsius
            hysteresis = nil
        }
    }

    public let celsius: Double
    public let trips: [Trip]

    /// Nil when the zone is switched off, or its temperature could not be read: a failure is not 0 degrees.
    public init?(mode: String?, temperature: String?, trips: [Trip]) {
        if let mode, mode.hasPrefix("disabled") { return nil }
        guard let celsius = temperature.flatMap(Self.celsius) else { return nil }
        self.init(celsius: celsius, trips: trips)
    }

    public init(celsius: Double, trips: [Trip]) {
        self.celsius = celsius
        self.trips = trips
    }

    /// From a hardware monitor's `tempN_input`, `tempN_max` and `tempN_crit`, as the kernel's
    /// `Documentation/hwmon/sysfs-interface.rst` describes them.
    ///
    /// What monitors call critical is where chips slow themselves down, or warn: Intel's processors say 100 degrees, and
    /// run on at that. So it never means that the machine switches off.
    public init?(monitor temperature: String?, highest: String?, critical: String?) {
        let slow = critical.flatMap { Trip(kind: "hot", temperature: $0) }
        let warm = highest.flatMap { Trip(kind: "hot", temperature: $0) }
        var trips = [warm, slow].compactMap { $0 }
        if let slow, warm.map({ $0.celsius >= slow.celsius }) ?? true {
            trips.append(Trip("hot", celsius: slow.celsius - Self.roomBelowCritical))
        }
        self.init(mode: nil, temperature: temperature, trips: trips)
    }

    /// How far below a critical temperature the machine is taken to be hot, where nothing else says so.
    static let roomBelowCritical = 10.0

    /// From a battery's `temp` and `temp_max`, in tenths of a degree, as the kernel's
    /// `Documentation/ABI/testing/sysfs-class-power` describes them.
    ///
    /// Without a maximum of its own, 45 degrees is where lithium cells are no longer charged, and 60 where they suffer.
    public init?(battery temperature: String?, highest: String?) {
        func tenths(_ text: String?) -> String? {
            text.flatMap { Int($0.prefix { $0 != "\n" }) }.flatMap { (-1000...3000).contains($0) ? "\($0 * 100)" : nil }
        }
        let limit = tenths(highest).flatMap { Trip(kind: "hot", temperature: $0) } ?? Trip("hot", celsius: 45)
        self.init(
            mode: nil, temperature: tenths(temperature),
            trips: [limit, Trip("critical", celsius: limit.celsius + 15)])
    }

    /// Whether it says where the machine slows down, and not only where it switches off.
    var tellsWhereItSlowsDown: Bool { trips.contains { $0.slowsDown } }

    /// Where the levels begin; nil without a trip to go by.
    public var thresholds: ThermalThresholds? { ThermalThresholds(trips) }

    /// How far the zone is from the first temperature at which the machine slows down.
    ///
    /// 1 is there, 0 is 30 degrees below, as Android's thermal headroom counts.
    public var headroomUsed: Double? { thresholds?.headroomUsed(at: celsius) }

    public var level: ThermalLevel { thresholds?.level(at: celsius) ?? .unknown }

    /// The machine is as hot as its hottest zone.
    public static func level(of zones: [ThermalZone]) -> ThermalLevel { zones.map(\.level).max() ?? .unknown }

    /// Thousandths of a degree; drivers that fail write nothing, 0, or a number that is no temperature.
    private static func celsius(_ text: String) -> Double? {
        let digits = text.prefix { $0 != "\n" }
        guard let thousandths = Int(digits), thousandths != 0, (-100_000...300_000).contains(thousandths) else {
            return nil
        }
        return Double(thousandths) / 1000
    }
}
