import StreamControl
import Testing

@Suite struct ThermalZoneTests {
    private let trips = [
        ThermalZone.Trip(kind: "passive\n", temperature: "80000\n")!,
        ThermalZone.Trip(kind: "critical\n", temperature: "100000\n")!,
    ]

    @Test(arguments: [
        ("45000\n", ThermalLevel.nominal), ("73999\n", .nominal), ("74000\n", .fair), ("80000\n", .serious),
        ("95000\n", .critical), ("200000", .critical),
    ])
    func levelFollowsTheTrips(temperature: String, level: ThermalLevel) throws {
        let zone = try #require(ThermalZone(mode: "enabled\n", temperature: temperature, trips: trips))
        #expect(zone.level == level)
    }

    @Test func whatCannotBeReadIsUnknownAndNotCold() {
        #expect(ThermalZone(mode: "disabled\n", temperature: "45000", trips: trips) == nil)
        for text in [nil, "", "abc", "-274000", "99999999", "4 5"] {
            #expect(ThermalZone(mode: nil, temperature: text, trips: trips) == nil)
        }
        #expect(ThermalZone.level(of: []) == .unknown)
        #expect(ThermalZone(mode: nil, temperature: "45000", trips: [])?.level == .unknown)
    }

    @Test func theHottestZoneCounts() {
        let zones = ["45000", "85000", "20000"].compactMap { ThermalZone(mode: nil, temperature: $0, trips: trips) }
        #expect(ThermalZone.level(of: zones) == .serious)
    }

    @Test func onlyACriticalTripCountsFromTenDegreesBelow() {
        let zone = ThermalZone(
            mode: nil, temperature: "90000", trips: [.init(kind: "critical", temperature: "100000")!])
        #expect(zone?.level == .serious)
    }
}
