import MachineState
import TestSupport
import Testing

@testable import MachineSensors

@Suite struct EnergyReaderTests {
    private func reader(_ root: FakeRoot) -> EnergyReader { EnergyReader(MachineRoot(folder: root.path)) }

    private func energy(_ reading: EnergyReading) -> EnergyReading? { reading.joules == nil ? nil : reading }

    private func reason(_ reading: EnergyReading) -> String { reading.joules == nil ? reading.source : "" }

    private let rapl = "/sys/class/powercap/intel-rapl"

    private func addZone(_ zone: String, _ name: String, _ energy: Int) -> [String: String] {
        [
            "/sys/class/powercap/\(zone)/name": name + "\n", "/sys/class/powercap/\(zone)/energy_uj": "\(energy)\n",
            "/sys/class/powercap/\(zone)/max_energy_range_uj": "262143328850\n",
        ]
    }

    @Test func addsPackagesAndCountsNothingTwice() throws {
        var files: [String: String] = [:]
        for (zone, name) in [
            ("intel-rapl:0", "package-0"), ("intel-rapl:1", "package-1"), ("intel-rapl:2", "psys"),
            ("intel-rapl:0:0", "core"), ("intel-rapl-mmio:0", "package-0"),
        ] { files.merge(addZone(zone, name, 1_000_000)) { $1 } }
        let root = try FakeRoot(files)
        var reader = reader(root)
        #expect(energy(reader.read(at: .seconds(1)))?.watts == nil)
        for file in files.keys where file.hasSuffix("energy_uj") { root.write(file, "3000000\n") }
        #expect(
            energy(reader.read(at: .seconds(2)))
                == EnergyReading(source: "RAPL package-0 + package-1", joules: 4, watts: 4))
        root.write(rapl + ":1/energy_uj", "")
        #expect(reason(reader.read(at: .seconds(3))).contains("intel-rapl:1/energy_uj can no longer be read"))
        root.write(rapl + ":1/energy_uj", "5000000\n")
        #expect(energy(reader.read(at: .seconds(4)))?.joules == 6)
    }

    @Test func explainsThatOnlyRootMayReadTheCounter() {
        var reader = EnergyReader(
            .machine,
            files: SystemFiles(
                read: { $0.hasSuffix("name") ? .text("package-0\n") : .denied },
                list: { path, _ in path.hasSuffix("powercap") ? ["intel-rapl", "intel-rapl:0"] : [] }))
        let text = reason(reader.read(at: .zero))
        #expect(text.contains("intel-rapl:0/energy_uj is readable by root only since Linux 5.10"))
        #expect(text.contains("chmod a+r /sys/class/powercap/intel-rapl:0/energy_uj"))
    }

    @Test func explainsThatThereIsNoSource() throws {
        let empty = try FakeRoot([:])
        var none = reader(empty)
        #expect(reason(none.read(at: .zero)).contains("reports no energy in /sys/class/powercap"))
        let full = try FakeRoot([
            "/sys/class/power_supply/BAT0/type": "Battery\n", "/sys/class/power_supply/BAT0/status": "Full\n",
            "/sys/class/power_supply/mouse/type": "Battery\n", "/sys/class/power_supply/mouse/scope": "Device\n",
            "/sys/class/power_supply/mouse/status": "Discharging\n",
            "/sys/class/power_supply/mouse/energy_now": "100000\n",
        ])
        var charging = reader(full)
        #expect(reason(charging.read(at: .zero)).contains("BAT0 is not discharging"))
    }

    @Test func readsPowerOfAMonitor() throws {
        let root = try FakeRoot([
            "/sys/class/hwmon/hwmon0/name": "amdgpu\n", "/sys/class/hwmon/hwmon0/power1_average": "9000000\n",
            "/sys/class/hwmon/hwmon1/name": "power_meter\n", "/sys/class/hwmon/hwmon1/power1_average": "60000000\n",
            "/sys/class/hwmon/hwmon2/name": "BAT0\n", "/sys/class/hwmon/hwmon2/power1_input": "1000000\n",
            "/sys/class/power_supply/BAT0/type": "Battery\n",
        ])
        var reader = reader(root)
        _ = reader.read(at: .seconds(1))
        root.write("/sys/class/hwmon/hwmon1/power1_average", "80000000\n")
        #expect(
            energy(reader.read(at: .seconds(2)))
                == EnergyReading(source: "hwmon power_meter power1", joules: 70, watts: 80))
    }

    @Test func readsEnergyOfAMonitor() throws {
        let root = try FakeRoot([
            "/sys/class/hwmon/hwmon0/name": "amd_energy\n", "/sys/class/hwmon/hwmon0/energy1_input": "1000000\n",
            "/sys/class/hwmon/hwmon0/energy1_label": "Ecore000\n",
            "/sys/class/hwmon/hwmon0/energy2_input": "5000000\n",
            "/sys/class/hwmon/hwmon0/energy2_label": "Esocket0\n",
        ])
        var reader = reader(root)
        _ = reader.read(at: .seconds(1))
        root.write("/sys/class/hwmon/hwmon0/energy2_input", "8000000\n")
        #expect(
            energy(reader.read(at: .seconds(2)))
                == EnergyReading(source: "hwmon amd_energy Esocket0", joules: 3, watts: 3))
    }

    @Test func readsBothLayoutsOfTheJetsonBoards() throws {
        let monitor = "/sys/class/hwmon/hwmon3"
        let newer = try FakeRoot([
            monitor + "/name": "ina3221\n", monitor + "/in1_label": "VDD_IN\n", monitor + "/in1_input": "5000\n",
            monitor + "/curr1_input": "1200\n", monitor + "/in2_label": "VDD_CPU\n",
            monitor + "/in2_input": "5000\n", monitor + "/curr2_input": "400\n",
        ])
        var new = reader(newer)
        #expect(
            energy(new.read(at: .zero))?.watts == 6 && energy(new.read(at: .zero))?.source == "hwmon ina3221 VDD_IN")
        let chip = "/sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0"
        let older = try FakeRoot([
            chip + "/rail_name_0": "POM_5V_IN\n", chip + "/in_power0_input": "2500\n",
            chip + "/rail_name_1": "POM_5V_GPU\n", chip + "/in_power1_input": "300\n",
        ])
        var old = reader(older)
        #expect(
            energy(old.read(at: .zero))
                == EnergyReading(source: "INA POM_5V_IN", joules: 0, watts: 2.5))
    }

    @Test func batteryCountsFromTheTimeAtWhichItSupplies() throws {
        let battery = "/sys/class/power_supply/BAT0"
        let root = try FakeRoot([
            battery + "/type": "Battery\n", battery + "/status": "Charging\n", battery + "/energy_now": "50000000\n",
            battery + "/power_now": "9000000\n",
        ])
        var reader = reader(root)
        #expect(energy(reader.read(at: .seconds(0))) == nil)
        root.write(battery + "/status", "Discharging\n")
        #expect(energy(reader.read(at: .seconds(1))) == nil)
        #expect(energy(reader.read(at: .seconds(11)))?.watts == 9)
        for (second, energy) in [(12, 49_990_000), (48, 49_980_000)] {
            root.write(battery + "/energy_now", "\(energy)\n")
            _ = reader.read(at: .seconds(second))
        }
        let measured = energy(reader.read(at: .seconds(49)))
        #expect(measured?.source == "battery BAT0" && abs((measured?.joules ?? 0) - 36) < 1e-6)
        root.write(battery + "/status", "Full\n")
        #expect(
            reason(reader.read(at: .seconds(50)))
                == "The battery BAT0 is not discharging, so it does not supply the machine.")
    }
}
