import MachineState
import Testing

@Suite struct ThermalZoneTests {
    private let trips = [
        ThermalZone.Trip(kind: "passive\n", temperature: "80000\n")!,
        ThermalZone.Trip(kind: "critical\n", temperature: "100000\n")!,
    ]

    @Test(arguments: [
        ("45000\n", ThermalLevel.nominal), ("73999\n", .nominal), ("74000\n", .fair), ("80000\n", .serious),
        ("89999\n", .serious), ("90000\n", .critical), ("97999", .critical), ("98000", .shutdown),
        ("200000", .shutdown),
    ])
    func followsTheTripPoints(temperature: String, level: ThermalLevel) throws {
        let zone = try #require(ThermalZone(mode: "enabled\n", temperature: temperature, trips: trips))
        #expect(zone.level == level)
    }

    @Test func isUnknownWithoutAReading() {
        #expect(ThermalZone(mode: "disabled\n", temperature: "45000", trips: trips) == nil)
        for text in [nil, "", "abc", "0", "0\n", "-274000", "999999", "99999999999999999999", "4 5", "0x40", "\u{0}"] {
            #expect(ThermalZone(mode: nil, temperature: text, trips: trips) == nil)
        }
        #expect(ThermalZone.level(of: []) == .unknown)
        #expect(ThermalZone(mode: nil, temperature: "45000", trips: [])?.level == .unknown)
    }

    @Test func ignoresImplausibleTripPoints() {
        for text in ["20800", "0", "-274000", "39999", "", "x", "999999"] {
            #expect(ThermalZone.Trip(kind: "critical", temperature: text) == nil)
        }
        #expect(ThermalZone.Trip(kind: "critical", temperature: "40000", hysteresis: "x")?.hysteresis == nil)
    }

    @Test func usesTheHottestZone() {
        let zones = ["45000", "85000", "20000"].compactMap { ThermalZone(mode: nil, temperature: $0, trips: trips) }
        #expect(ThermalZone.level(of: zones) == .serious)
    }

    @Test func isSeriousTenDegreesBelowASoleCriticalTripPoint() {
        let zone = ThermalZone(
            mode: nil, temperature: "90000", trips: [.init(kind: "critical", temperature: "100000")!])
        #expect(zone?.level == .serious)
    }

    @Test func headroomIsOneAtTheFirstTripPointAndZeroThirtyDegreesBelow() throws {
        let thresholds = try #require(ThermalThresholds(trips))
        #expect(thresholds.headroomUsed(at: 80) == 1)
        #expect(thresholds.headroomUsed(at: 50) == 0)
        #expect(thresholds.headroomUsed(at: 65) == 0.5)
    }

    /// Each pair is a passive and a critical trip point; in some pairs, they are equal or in the wrong order.
    @Test(arguments: [(80.0, 100.0), (95, 105), (80, 83), (80, 80), (90, 70), (50, 130)])
    func levelsNeverFallWithRisingTemperature(passive: Double, critical: Double) throws {
        let thresholds = try #require(
            ThermalThresholds([.init("passive", celsius: passive), .init("critical", celsius: critical)]))
        var last = ThermalLevel.unknown
        for celsius in stride(from: 0.0, to: 150, by: 0.25) {
            let level = thresholds.level(at: celsius)
            #expect(level >= last)
            last = level
        }
        #expect(last == .shutdown)
    }

    @Test func readsBatteriesAndMonitorsInTheirUnits() {
        #expect(ThermalZone(battery: "465\n", highest: nil)?.celsius == 46.5)
        #expect(ThermalZone(battery: "465", highest: nil)?.level == .serious)
        #expect(ThermalZone(battery: "465", highest: "800")?.level == .nominal)
        #expect(ThermalZone(battery: "99999999999", highest: nil) == nil)
        #expect(ThermalZone(battery: nil, highest: nil) == nil)
        #expect(ThermalZone(monitor: "84000", highest: "84000", critical: "100000")?.level == .serious)
        #expect(ThermalZone(monitor: "84000", highest: nil, critical: nil)?.level == .unknown)
        // A critical temperature of a hardware monitor does not shut down the machine.
        #expect(ThermalZone(monitor: "99000", highest: "84000", critical: "100000")?.level == .critical)
        #expect(ThermalZone(monitor: "90000", highest: "100000", critical: "100000")?.level == .serious)
        #expect(ThermalZone(monitor: "101000", highest: nil, critical: "100000")?.level == .critical)
    }

    @Test func distinguishesHeatFromUnderVoltageInFirmwareBits() {
        #expect(ThrottleBits("0x4\n")?.level == .critical)
        #expect(ThrottleBits("8")?.level == .serious)
        #expect(ThrottleBits("50005")?.level == .unknown)
        #expect(ThrottleBits("50005")?.isUnderVoltage == true)
        #expect(ThrottleBits("0")?.level == .unknown)
        for text in ["", "x", "-1", "ffffffffff"] { #expect(ThrottleBits(text) == nil) }
    }

    @Test(arguments: [
        ("*", "anything", true), ("cpu*", "cpu-thermal", true), ("cpu*", "gpu-thermal", false), ("?pu*", "gpu", true),
        ("a,x86_pkg_temp", "x86_pkg_temp", true), (" cpu , gpu ", "gpu", true), ("*-*-*", "a-b", false),
        ("c*u*l", "cpu-thermal", true), ("", "anything", true), (",", "anything", true),
    ])
    func selectsZonesByName(patterns: String, name: String, isChosen: Bool) {
        #expect(GlobPatterns(patterns).choose(name) == isChosen)
    }

    @Test func listsPatternsWithoutAMatch() {
        let names = ["cpu-thermal", "x86_pkg_temp"]
        #expect(GlobPatterns("cpu*, gpu?,x86*,fan").unmatched(by: names) == ["gpu?", "fan"])
        #expect(GlobPatterns("*").unmatched(by: []) == ["*"])
        for nothing in [nil, "", " ,"] { #expect(GlobPatterns(nothing).unmatched(by: []) == []) }
        var reading = ThermalReading(zones: names.map { NamedZone($0, ThermalZone(celsius: 50, trips: trips)) })
        reading.zones += reading.zones
        #expect(reading.names == names)
        reading.throttle = ThrottleBits("0")
        #expect(reading.names == names + [ThrottleBits.zoneName])
    }

    @Test func matchesLongPatternsQuickly() {
        let text = String(repeating: "a", count: 5000)
        #expect(!GlobPatterns(String(repeating: "*a", count: 2000) + "b").choose(text))
    }

    @Test func countsMonitorsWithoutKernelZones() {
        let hot = ThermalZone(celsius: 99, trips: [.init("hot", celsius: 80)])
        let cool = ThermalZone(celsius: 40, trips: trips)
        let monitor = NamedZone("coretemp", source: .monitor, hot)
        #expect(ThermalReading(zones: [NamedZone("cpu", cool), monitor]).level == .nominal)
        #expect(ThermalReading(zones: [monitor]).level == .critical)
        // Hardware monitors count although there is a zone, because the zone has only a critical trip point.
        let board = NamedZone("acpitz", ThermalZone(celsius: 28, trips: [.init("critical", celsius: 119)]))
        #expect(ThermalReading(zones: [board, monitor]).level == .critical)
        let chosen = ThermalReading(zones: [NamedZone("cpu", cool), monitor]).chosen(by: GlobPatterns("core*"))
        #expect(chosen.zones == [monitor])
        #expect(ThermalReading(throttle: ThrottleBits("8")).level == .serious)
    }

    @Test func tierIsThatOfTheWeakestPart() {
        let gigabyte: UInt64 = 1 << 30
        #expect(DeviceTier.judge(processors: 8, memoryBytes: 8 * gigabyte, hertz: 3_000_000_000) == .high)
        #expect(DeviceTier.judge(processors: 8, memoryBytes: nil, hertz: nil) == .high)
        #expect(DeviceTier.judge(processors: 8, memoryBytes: gigabyte, hertz: nil) == .medium)
        #expect(DeviceTier.judge(processors: 2, memoryBytes: nil, hertz: nil) == .medium)
        #expect(DeviceTier.judge(processors: 4, memoryBytes: nil, hertz: 700_000_000) == .low)
        #expect(DeviceTier.memoryBytes("MemTotal:       16384 kB\nMemFree: 1 kB\n") == 16_777_216)
        #expect(DeviceTier.memoryBytes("nonsense") == nil)
    }
}
