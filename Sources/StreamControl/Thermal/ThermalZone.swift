/// One sensor as `/sys/class/thermal/thermal_zone*` tells of it.
///
/// The files are described in the kernel's `Documentation/driver-api/thermal/sysfs-api.rst`.
public struct ThermalZone: Sendable, Equatable {
    /// A temperature at which the kernel does something.
    public struct Trip: Sendable, Equatable {
        public let kind: String
        public let celsius: Double

        /// From `trip_point_N_type` and `trip_point_N_temp`; nil when that is no trip.
        public init?(kind: String, temperature: String) {
            guard let celsius = ThermalZone.celsius(temperature), celsius > 0 else { return nil }
            self.kind = kind.filter { !$0.isWhitespace }
            self.celsius = celsius
        }
    }

    public let celsius: Double
    public let trips: [Trip]

    /// Nil when the zone is switched off, or its temperature could not be read: a failure is not 0 degrees.
    public init?(mode: String?, temperature: String?, trips: [Trip]) {
        if let mode, mode.hasPrefix("disabled") { return nil }
        guard let celsius = temperature.flatMap(Self.celsius) else { return nil }
        self.celsius = celsius
        self.trips = trips
    }

    /// How far the zone is from the first temperature at which the machine slows down.
    ///
    /// 1 is there, 0 is 30 degrees below, as Android's thermal headroom counts.
    public var headroomUsed: Double? {
        let slowing = trips.filter { $0.kind == "passive" || $0.kind == "hot" }.map(\.celsius).min()
        guard let trip = slowing ?? trips.filter({ $0.kind == "critical" }).map({ $0.celsius - 10 }).min() else {
            return nil
        }
        return 1 - ((trip - celsius) / 30)
    }

    public var level: ThermalLevel {
        if trips.contains(where: { $0.kind == "critical" && celsius >= $0.celsius - 5 }) { return .critical }
        guard let headroomUsed else { return .unknown }
        if headroomUsed >= 1 { return .serious }
        return headroomUsed >= 0.8 ? .fair : .nominal
    }

    /// The machine is as hot as its hottest zone.
    public static func level(of zones: [ThermalZone]) -> ThermalLevel { zones.map(\.level).max() ?? .unknown }

    /// Thousandths of a degree; drivers that fail write nothing, or a number that is none.
    private static func celsius(_ text: String) -> Double? {
        let digits = text.prefix { $0 != "\n" }
        guard let thousandths = Int(digits), (-100_000...300_000).contains(thousandths) else { return nil }
        return Double(thousandths) / 1000
    }
}
