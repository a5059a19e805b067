/// One temperature sensor and its trip points.
///
/// Source: the kernel's `Documentation/driver-api/thermal/sysfs-api.rst`.
public struct ThermalZone: Sendable, Equatable {
    /// A temperature at which the kernel acts.
    public struct Trip: Sendable, Equatable {
        /// Kind of the trip point: `passive`, `hot`, `critical`, `active`.
        public let kind: String
        /// Temperature in degrees Celsius.
        public let celsius: Double
        /// Degrees below the trip point at which its level ends; nil if the kernel does not provide them.
        public let hysteresis: Double?

        /// Lowest trip point that counts: some firmware reports 20.8 degrees, at which the kernel does nothing.
        private static let lowest = 40.0

        /// Parses `trip_point_N_type`, `trip_point_N_temp` and `trip_point_N_hyst`; nil if they are not a trip point.
        public init?(kind: String, temperature: String, hysteresis: String? = nil) {
            guard let celsius = ThermalZone.celsius(temperature), celsius >= Self.lowest else { return nil }
            self.kind = kind.filter { !$0.isWhitespace }
            self.celsius = celsius
            self.hysteresis = hysteresis.flatMap(ThermalZone.celsius).flatMap { (0.5...30).contains($0) ? $0 : nil }
        }

        var slowsDown: Bool { kind == "passive" || kind == "hot" }

        /// Creates a trip point without hysteresis.
        public init(_ kind: String, celsius: Double) {
            self.kind = kind
            self.celsius = celsius
            hysteresis = nil
        }
    }

    /// Temperature in degrees Celsius.
    public let celsius: Double
    /// Trip points, in any order.
    public let trips: [Trip]

    /// Creates a zone; nil if it is disabled or its temperature cannot be read.
    public init?(mode: String?, temperature: String?, trips: [Trip]) {
        if let mode, mode.hasPrefix("disabled") { return nil }
        guard let celsius = temperature.flatMap(Self.celsius) else { return nil }
        self.init(celsius: celsius, trips: trips)
    }

    /// Creates a zone from its parts.
    public init(celsius: Double, trips: [Trip]) {
        self.celsius = celsius
        self.trips = trips
    }

    /// Creates a zone from `tempN_input`, `tempN_max` and `tempN_crit` of a hardware monitor.
    ///
    /// At the critical temperature of a monitor, a chip slows down or raises an alarm. The machine does not switch off:
    /// Intel processors report 100 degrees and run at that temperature. Source: the kernel's
    /// `Documentation/hwmon/sysfs-interface.rst`.
    public init?(monitor temperature: String?, highest: String?, critical: String?) {
        let slow = critical.flatMap { Trip(kind: "hot", temperature: $0) }
        let warm = highest.flatMap { Trip(kind: "hot", temperature: $0) }
        var trips = [warm, slow].compactMap { $0 }
        if let slow, warm.map({ $0.celsius >= slow.celsius }) ?? true {
            trips.append(Trip("hot", celsius: slow.celsius - Self.roomBelowCritical))
        }
        self.init(mode: nil, temperature: temperature, trips: trips)
    }

    /// Without another trip point, the machine counts as hot from this many degrees below the critical temperature on.
    static let roomBelowCritical = 10.0

    /// Adds the temperature at which the firmware of a Raspberry Pi begins to slow down the machine.
    ///
    /// The kernel does not know this temperature. Source: `temp_soft_limit` in the Raspberry Pi documentation.
    public static func onRaspberryPi(_ trips: [Trip]) -> [Trip] {
        let soft = Trip("hot", celsius: 80)
        let isHotEarlier = trips.contains {
            $0.slowsDown || ($0.kind == "critical" && $0.celsius - roomBelowCritical < soft.celsius)
        }
        return isHotEarlier ? trips : trips + [soft]
    }

    /// Creates a zone from `temp` and `temp_max` of a battery, in tenths of a degree.
    ///
    /// Without `temp_max` the limit is 45 degrees. Lithium cells are not charged above 45 degrees, and are damaged at
    /// 60. Source: the kernel's `Documentation/ABI/testing/sysfs-class-power`.
    public init?(battery temperature: String?, highest: String?) {
        func tenths(_ text: String?) -> String? {
            text.flatMap { Int($0.prefix { $0 != "\n" }) }.flatMap { (-1000...3000).contains($0) ? "\($0 * 100)" : nil }
        }
        let limit = tenths(highest).flatMap { Trip(kind: "hot", temperature: $0) } ?? Trip("hot", celsius: 45)
        self.init(
            mode: nil, temperature: tenths(temperature),
            trips: [limit, Trip("critical", celsius: limit.celsius + 15)])
    }

    var hasSlowingTrip: Bool { trips.contains { $0.slowsDown } }

    /// Temperatures at which the levels begin; nil without a usable trip point.
    public var thresholds: ThermalThresholds? { ThermalThresholds(trips) }

    /// Level without hysteresis; unknown without trip points.
    public var level: ThermalLevel { thresholds?.level(at: celsius) ?? .unknown }

    /// Level of the hottest zone.
    public static func level(of zones: [ThermalZone]) -> ThermalLevel { zones.map(\.level).max() ?? .unknown }

    /// Parses thousandths of a degree; nil for no text, 0, or a number out of range, which failing drivers return.
    private static func celsius(_ text: String) -> Double? {
        let digits = text.prefix { $0 != "\n" }
        guard let thousandths = Int(digits), thousandths != 0, (-100_000...300_000).contains(thousandths) else {
            return nil
        }
        return Double(thousandths) / 1000
    }
}
