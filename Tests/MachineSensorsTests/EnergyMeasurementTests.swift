import MachineState
import Testing

@Suite struct EnergyMeasurementTests {
    @Test func counterContinuesAfterItsRange() {
        var counter = EnergyCounter(range: 1_000_000_000)
        counter.record(999_000_000, at: .seconds(1))
        #expect(counter.watts == nil && counter.joules == 0)
        counter.record(4_000_000, at: .seconds(2))
        #expect(counter.watts == 5 && counter.joules == 5)
    }

    @Test func counterThatWasResetAddsNothing() {
        var counter = EnergyCounter(range: 262_143_000_000)
        counter.record(50_000_000, at: .seconds(1))
        counter.record(1_000_000, at: .seconds(2))
        #expect(counter.watts == nil && counter.joules == 0)
        counter.record(8_000_000, at: .seconds(3))
        #expect(counter.watts == 7 && counter.joules == 7)
        var unlimited = EnergyCounter()
        unlimited.record(50, at: .seconds(1))
        unlimited.record(0, at: .seconds(2))
        #expect(unlimited.watts == nil && unlimited.joules == 0)
    }

    @Test func powerIsAddedUpWithoutPauses() {
        var sum = PowerSum()
        sum.record(watts: 10, at: .seconds(0))
        sum.record(watts: 20, at: .seconds(1))
        #expect(sum.joules == 15 && sum.watts == 20)
        sum.record(watts: 20, at: .seconds(100))
        #expect(sum.joules == 15)
        sum.interrupt()
        sum.record(watts: 20, at: .seconds(101))
        #expect(sum.joules == 15)
        sum.record(watts: 1e12, at: .seconds(102))
        #expect(sum.joules == 15 && sum.watts == nil)
    }

    private func charge(_ energy: String, status: String = "Discharging", power: String? = nil) -> BatteryCharge? {
        BatteryCharge(status: status, energy: energy, charge: nil, voltage: nil, power: power, current: nil)
    }

    @Test func batteryCountsItsStepsWhileDischarging() {
        var drain = BatteryDrain()
        // 10 mWh are 36 J.
        for (second, energy) in [(0, 50_000_000), (20, 49_990_000), (40, 49_990_000), (80, 49_980_000)] {
            drain.record(charge("\(energy)\n"), at: .seconds(second))
        }
        #expect(abs(drain.joules - 36) < 1e-6 && abs((drain.watts ?? 0) - 0.6) < 1e-9)
        drain.record(charge("49970000", status: "Charging\n"), at: .seconds(90))
        drain.record(charge("30000000"), at: .seconds(100))
        #expect(abs(drain.joules - 36) < 1e-6 && drain.watts == nil)
    }

    @Test func batteryReportsItsOwnPower() {
        #expect(charge("50000000", power: "-12500000\n")?.watts == 12.5)
        let byCharge = BatteryCharge(
            status: "Discharging\n", energy: nil, charge: "2000000\n", voltage: "12000000\n", power: nil,
            current: "500000\n")
        #expect(byCharge?.joules == 86_400 && byCharge?.watts == 6)
        #expect(charge("50000000", status: "Full\n") == nil && charge("50000000", status: "Not charging\n") == nil)
    }

    @Test func railsAreNotCountedTwice() {
        func sum(_ labels: [String]) -> [String] {
            PowerRail.sum(of: labels.map { PowerRail(label: $0, files: []) }).map(\.label)
        }
        #expect(sum(["VDD_CPU_CV", "VDD_IN", "VDD_GPU_SOC"]) == ["VDD_IN"])
        #expect(sum(["VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"]).count == 3)
        #expect(sum(["Ecore000", "Ecore001", "Esocket0", "Esocket1"]) == ["Esocket0", "Esocket1"])
        #expect(sum(["pin", "pout1"]) == ["pin"])
        #expect(sum(["x", "y"]) == ["x"])
    }
}
