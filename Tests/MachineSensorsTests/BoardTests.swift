import MachineState
import TestSupport
import Testing

@testable import MachineSensors

/// Files of `/sys` of Raspberry Pi and Jetson boards, with values that users of the boards published.
///
/// The trip points of Raspberry Pi 3 and Jetson are from the device trees of their kernels.
private enum Board {
    static func model(_ name: String) -> [String: String] { ["/sys/firmware/devicetree/base/model": name + "\0"] }

    /// The files of a zone; a trip point is a kind, a temperature and a hysteresis in thousandths of a degree.
    static func zone(_ number: Int, _ type: String, _ temperature: String?, _ trips: [(String, Int, Int)])
        -> [String: String]
    {
        let folder = "/sys/class/thermal/thermal_zone\(number)"
        var files = ["\(folder)/type": type + "\n", "\(folder)/mode": "enabled\n"]
        files["\(folder)/temp"] = temperature.map { $0 + "\n" }
        for (index, (kind, celsius, hysteresis)) in trips.enumerated() {
            files["\(folder)/trip_point_\(index)_type"] = kind + "\n"
            files["\(folder)/trip_point_\(index)_temp"] = "\(celsius)\n"
            files["\(folder)/trip_point_\(index)_hyst"] = "\(hysteresis)\n"
        }
        return files
    }

    static func monitor(_ number: Int, _ name: String, _ files: [String: String]) -> [String: String] {
        var paths = ["/sys/class/hwmon/hwmon\(number)/name": name + "\n"]
        for (file, text) in files { paths["/sys/class/hwmon/hwmon\(number)/\(file)"] = text + "\n" }
        return paths
    }

    static func joined(_ parts: [String: String]...) -> [String: String] {
        parts.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    /// A Raspberry Pi 3 with Linux 5.10.
    static let pi3 = joined(
        model("Raspberry Pi 3 Model B Rev 1.2"), zone(0, "cpu-thermal", "46698", [("critical", 90_000, 0)]),
        ["/sys/devices/platform/soc/soc:firmware/get_throttled": "0\n"])

    /// A Raspberry Pi 4 with Linux 5.10, which has no critical trip point, and with the overlay of a fan.
    static let pi4 = joined(
        model("Raspberry Pi 4 Model B Rev 1.1"), zone(0, "cpu-thermal", "74010", [("active", 70_000, 10_000)]),
        ["/sys/devices/platform/soc/soc:firmware/get_throttled": "0\n"])

    /// A Raspberry Pi 5 with Linux 6.12 and the active cooler.
    static let pi5 = joined(
        model("Raspberry Pi 5 Model B Rev 1.0"),
        zone(
            0, "cpu-thermal", "47400",
            [
                ("critical", 110_000, 0), ("active", 50_000, 5_000), ("active", 60_000, 5_000),
                ("active", 67_500, 5_000), ("active", 75_000, 5_000),
            ]),
        monitor(0, "cpu_thermal", ["temp1_input": "47400", "temp1_crit": "110000"]),
        monitor(2, "rp1_adc", ["temp1_input": "55472", "in1_input": "1468"]),
        monitor(4, "rpi_volt", ["in0_lcrit_alarm": "0"]),
        ["/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "0\n"])

    private static let orinTrips = [("critical", 104_500, 0), ("passive", 99_000, 0)]

    /// An AGX Orin with JetPack 6, in which zones of disabled parts have no reading, or -256 degrees as in JetPack 5.
    static let agxOrin = joined(
        model("NVIDIA Jetson AGX Orin Developer Kit"), zone(0, "cpu-thermal", "52875", orinTrips),
        zone(1, "gpu-thermal", nil, orinTrips), zone(2, "cv0-thermal", nil, orinTrips),
        zone(3, "cv1-thermal", "-256000", orinTrips), zone(5, "soc0-thermal", "49062", orinTrips),
        zone(8, "tj-thermal", "52875", orinTrips),
        // The network chip exceeds its own limit, although the machine is cool.
        monitor(0, "6810000ethernet00", ["temp1_input": "95700", "temp1_max": "60000", "temp1_crit": "70000"]),
        monitor(
            2, "ina3221",
            [
                "in1_label": "NC", "in1_input": "0", "curr1_input": "0", "in2_label": "VDDQ_VDD2_1V8AO",
                "in2_input": "5060", "curr2_input": "140", "in3_label": "NC", "in3_input": "0", "curr3_input": "0",
                "in7_label": "sum of shunt voltages", "curr4_input": "",
            ]),
        monitor(
            3, "ina3221",
            [
                "in1_label": "VDD_GPU_SOC", "in1_input": "19980", "curr1_input": "240", "in2_label": "VDD_CPU_CV",
                "in2_input": "19980", "curr2_input": "80", "in3_label": "VIN_SYS_5V0", "in3_input": "5060",
                "curr3_input": "740", "in4_input": "480", "in5_input": "160", "in6_input": "1480",
                "in7_label": "sum of shunt voltages", "in7_input": "760", "curr4_input": "360",
            ]))

    static let orinNano = joined(
        model("NVIDIA Jetson Orin Nano Developer Kit"), zone(0, "cpu-thermal", "46000", orinTrips),
        monitor(1, "iwlwifi_1", ["temp1_input": "44000"]),
        monitor(
            4, "ina3221",
            [
                "in1_label": "VDD_IN", "in1_input": "5050", "curr1_input": "960", "in2_label": "VDD_CPU_GPU_CV",
                "in2_input": "5040", "curr2_input": "136", "in3_label": "VDD_SOC", "in3_input": "5050",
                "curr3_input": "296", "in4_input": "4800", "in7_label": "sum of shunt voltages", "in7_input": "7520",
                "curr4_input": "1420",
            ]))

    static let thor = monitor(
        2, "ina3221",
        [
            "in1_label": "VDD_GPU", "in1_input": "12040", "curr1_input": "640", "in2_label": "VDD_CPU_SOC_MSS",
            "in2_input": "12040", "curr2_input": "960", "in3_label": "VIN_SYS_5V0", "in3_input": "5088",
            "curr3_input": "1740", "in7_label": "sum of shunt voltages", "in7_input": "900", "curr4_input": "800",
        ])
}

@Suite struct BoardTests {
    private func read(_ root: FakeRoot) -> ThermalReading {
        SensorFiles(
            system: root.path + "/sys", files: SystemFiles(), willRead: { _ in true }, didRead: { _ in }
        ).readAll()
    }

    @Test(arguments: [
        (Board.pi3, ThermalLevel.nominal, ["cpu-thermal", "firmware-throttle"]),
        (Board.pi4, .fair, ["cpu-thermal", "firmware-throttle"]),
        (Board.pi5, .nominal, ["cpu-thermal", "cpu_thermal", "rp1_adc", "firmware-throttle"]),
        (Board.agxOrin, .nominal, ["cpu-thermal", "soc0-thermal", "tj-thermal", "6810000ethernet00"]),
        (Board.orinNano, .nominal, ["cpu-thermal", "iwlwifi_1"]),
    ])
    func boardHasItsSensors(files: [String: String], level: ThermalLevel, names: [String]) throws {
        let reading = read(try FakeRoot(files))
        #expect(reading.names == names && reading.level == level)
    }

    @Test func firmwareOfAPi5SlowsDownAtItsSoftLimit() throws {
        let root = try FakeRoot(Board.pi5)
        let file = "/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled"
        root.write(file, "80008\n")
        #expect(read(root).level == .serious)
        root.write(file, "e0006\n")
        #expect(read(root).level == .critical)
        root.write(file, "e0000\n")
        #expect(read(root).level == .nominal)
    }

    /// The kernels of distributions have no file `get_throttled`.
    @Test func piWithoutAFirmwareFileFollowsItsTemperature() throws {
        let root = try FakeRoot(Board.pi5.filter { !$0.key.contains("get_throttled") })
        #expect(read(root).throttle == nil)
        root.write("/sys/class/thermal/thermal_zone0/temp", "82000\n")
        #expect(read(root).level == .serious)
    }

    /// Tests that levels begin at the temperatures in the tables of docs/raspberry-pi.md.
    @Test(arguments: [
        (Board.pi3, [74.0, 80, 85, 88]), (Board.pi4, [74, 80, 90]), (Board.pi5, [74, 80, 90, 108]),
        (Board.agxOrin, [93, 99, 101.75, 103.125]), (Board.orinNano, [93, 99, 101.75, 103.125]),
    ])
    func levelsBeginAtTheDocumentedTemperatures(files: [String: String], celsius: [Double]) throws {
        let zone = try #require(read(try FakeRoot(files)).zones.first { $0.name == "cpu-thermal" }?.zone)
        let thresholds = try #require(zone.thresholds)
        for (begin, level) in zip(celsius, [ThermalLevel.fair, .serious, .critical, .shutdown]) {
            #expect(thresholds.level(at: begin) == level && thresholds.level(at: begin - 0.01) < level)
        }
        #expect((thresholds.shutdown == nil) == (celsius.count == 3))
    }

    /// A kernel before Linux 5.5 switches off a Raspberry Pi at 80 degrees.
    @Test func piIsSeriousTenDegreesBelowALowCriticalTripPoint() throws {
        var files = Board.pi3
        files["/sys/class/thermal/thermal_zone0/trip_point_0_temp"] = "80000\n"
        let thresholds = try #require(read(try FakeRoot(files)).zones.first?.zone.thresholds)
        #expect([thresholds.serious, thresholds.critical, thresholds.shutdown ?? 0] == [70, 75, 78])
    }

    @Test(arguments: [
        (Board.agxOrin, "VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0", 10.138), (Board.orinNano, "VDD_IN", 4.848),
        (Board.thor, "VDD_GPU + VDD_CPU_SOC_MSS + VIN_SYS_5V0", 28.117),
    ])
    func jetsonReportsThePowerOfItsBoard(files: [String: String], rails: String, watts: Double) throws {
        let root = try FakeRoot(files)
        var reader = EnergyReader(MachineRoot(folder: root.path))
        let reading = reader.read(at: .zero)
        #expect(reading.source == "hwmon ina3221 \(rails)" && abs((reading.watts ?? 0) - watts) < 0.001)
    }
}
