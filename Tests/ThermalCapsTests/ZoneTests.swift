import Foundation
import TestSupport
import GstTestSupport
import Testing

/// Tests different sensors of a machine while a pipeline plays.
@Suite(.serialized) struct ZoneTests {
    private func zone(_ rig: ThermalRig) -> String {
        let told = rig.pipeline.listen(seconds: 0.1).last { $0.contains("thermal-level-changed") } ?? ""
        return told.range(of: "zone=(string)").map {
            String(told[$0.upperBound...].prefix { $0 != "," && $0 != ";" }.filter { $0 != "\"" && $0 != "\\" })
        } ?? "none"
    }

    @Test func countsOnlySelectedZones() {
        let machine = FakeMachine()
        machine.addZone("thermal_zone1", "gpu-thermal", celsius: 85)
        machine.addZone("thermal_zone2", "wifi", celsius: 92)
        let rig = ThermalRig(LadderTests.fixed, "zones=\"cpu*,?pu-thermal\"", machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" })
        #expect(zone(rig) == "gpu-thermal" && rig.pipeline.get("temperature") == "85")
        rig.pipeline.set("zones", to: "cpu-thermal")
        #expect(eventually { rig.level == "nominal" && rig.pipeline.get("temperature") == "50" })
        rig.pipeline.set("zones", to: "")
        #expect(eventually { rig.level == "critical" })
        #expect(zone(rig) == "wifi")
        rig.pipeline.set("zones", to: "no-such-zone")
        #expect(eventually { rig.level == "unknown" })
    }

    @Test(arguments: [
        ("gpu*,battery", ["gpu*, battery", "cpu-thermal, wifi", "quality is not reduced"]),
        ("cpu*,gpu*", ["name gpu*.", "cpu-thermal, wifi", "Only the other names are used"]),
    ])
    func warnsOnceOfAZoneWithoutSensor(zones: String, words: [String]) {
        let machine = FakeMachine()
        machine.addZone("thermal_zone1", "wifi", celsius: 50)
        let rig = ThermalRig(LadderTests.fixed, "zones=\"\(zones)\"", machine: machine)
        rig.play()
        let heard = rig.pipeline.listen(seconds: 0.7, details: true).filter { !$0.hasPrefix("element") }
        #expect(heard.count == 1 && heard[0].hasPrefix("warning: zones=\"\(zones)\""), "\(heard)")
        for word in words { #expect(heard.first?.contains(word) == true, "\(heard)") }
        // Another invalid name causes another warning; a valid name causes none.
        rig.pipeline.set("zones", to: "wlan")
        #expect(rig.pipeline.listen(seconds: 0.5).filter { $0.hasPrefix("warning: zones=\"wlan\"") }.count == 1)
        rig.pipeline.set("zones", to: "wifi")
        #expect(eventually { rig.level == "nominal" })
        #expect(!rig.pipeline.listen(seconds: 0.3).contains { $0.hasPrefix("warning") || $0.hasPrefix("info") })
    }

    @Test func usesTheHotterOfTwoZonesWithOneName() {
        let machine = FakeMachine()
        machine.addZone("thermal_zone1", "cpu-thermal", celsius: 85)
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" && rig.pipeline.get("temperature") == "85" })
        machine.heat("thermal_zone1", to: 50)
        machine.heat("thermal_zone0", to: 92)
        #expect(eventually { rig.level == "critical" && rig.pipeline.get("temperature") == "92" })
    }

    @Test func recognizesAZoneWithAnotherNumber() {
        let machine = FakeMachine()
        machine.addZone("thermal_zone1", "nvme", celsius: 85)
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" })
        machine.removeZone("thermal_zone1")
        #expect(eventually { rig.level == "unknown" })
        machine.addZone("thermal_zone7", "nvme", celsius: 60)
        #expect(eventually { rig.level == "nominal" && rig.action == "none" })
    }

    @Test func usesAMovedTripPointAtOnce() {
        let rig = ThermalRig()
        rig.machine.heat(to: 70)
        rig.play()
        #expect(eventually { rig.level == "nominal" })
        rig.machine.write("trip_point_0_temp", "65000\n")
        #expect(eventually { rig.level == "serious" && rig.action == "20/1 fps" })
        rig.machine.write("trip_point_0_temp", "95000\n")
        #expect(eventually { rig.level == "nominal" && rig.action == "none" })
    }

    @Test func prefersTheHysteresisOfATripPoint() {
        let machine = FakeMachine(celsius: nil)
        machine.addZone("thermal_zone0", "cpu-thermal", celsius: 85, hysteresis: 20)
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" })
        machine.heat(to: 62)
        #expect(eventually { rig.pipeline.get("temperature") == "62" })
        #expect(rig.level == "serious")
        machine.heat(to: 50)
        #expect(eventually { rig.level == "nominal" })
    }

    @Test func countsAHotBattery() {
        let machine = FakeMachine()
        machine.write(path: "class/power_supply/BAT1/type", "Battery\n")
        machine.write(path: "class/power_supply/BAT1/temp", "465\n")
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" && rig.pipeline.get("temperature") == "46.5" })
        #expect(zone(rig) == "BAT1")
        machine.write(path: "class/power_supply/BAT1/temp_max", "600\n")
        #expect(eventually { rig.level == "nominal" })
    }

    @Test func countsTheFirmwareOfARaspberryPi() {
        let bits = "devices/platform/soc/soc:firmware/get_throttled"
        let machine = FakeMachine()
        machine.write(path: bits, "0\n")
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "nominal" })
        machine.write(path: bits, "80008\n")
        #expect(eventually { rig.level == "serious" })
        #expect(zone(rig) == "firmware-throttle")
        machine.write(path: bits, "e000e\n")
        #expect(eventually { rig.level == "critical" })
        // Low voltage does not count as heat, and is reported once.
        machine.write(path: bits, "50005\n")
        #expect(eventually { rig.level == "nominal" })
        let heard = rig.pipeline.listen(seconds: 0.3).filter { $0.hasPrefix("info") }
        #expect(heard.count == 1 && heard[0].contains("voltage"), "\(heard)")
    }

    @Test func countsAHardwareMonitorWithoutZones() {
        let machine = FakeMachine(celsius: nil)
        machine.write(path: "class/hwmon/hwmon3/name", "k10temp\n")
        machine.write(path: "class/hwmon/hwmon3/temp1_input", "85000\n")
        machine.write(path: "class/hwmon/hwmon3/temp1_max", "80000\n")
        machine.write(path: "class/hwmon/hwmon3/temp1_label", "Tctl\n")
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" && rig.action == "20/1 fps" })
        #expect(zone(rig) == "k10temp:Tctl")
        machine.addZone("thermal_zone0", "cpu-thermal", celsius: 50)
        #expect(eventually { rig.level == "nominal" })
    }

    /// Tests paths that cannot be read, because they are a folder, a pipe without a writer, or a text that is too long.
    @Test(arguments: ["folder", "pipe", "digits", "more digits"])
    func leavesOutUnreadableSensorFiles(kind: String) {
        let machine = FakeMachine()
        machine.addZone("thermal_zone1", "odd", celsius: 85)
        let rig = ThermalRig(machine: machine)
        rig.play()
        #expect(eventually { rig.level == "serious" })
        let file = machine.system + "/class/thermal/thermal_zone1/temp"
        try? FileManager.default.removeItem(atPath: file)
        switch kind {
        case "folder": try? FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        case "pipe": #expect(mkfifo(file, 0o600) == 0)
        default:
            let count = kind == "digits" ? 16_000 : 100_000
            machine.write(path: "class/thermal/thermal_zone1/temp", String(repeating: "9", count: count))
        }
        #expect(eventually { rig.level == "unknown" })
        // The element still reads the other sensor.
        machine.heat(to: 92)
        #expect(eventually { rig.level == "critical" && rig.pipeline.get("temperature") == "92" })
    }

    /// `sysfs-root` is a deprecated property, which has no effect if `sensor-root` is set.
    @Test(arguments: ["sensor-root=%/", "sysfs-root=%/sys", "sysfs-root=%/sys/", "sensor-root=% sysfs-root=/nowhere"])
    func readsTheSensorsBelowTheFolderOfTheProperty(settings: String) {
        let rig = ThermalRig(
            machine: FakeMachine(celsius: 85), root: { settings.split(separator: "%").joined(separator: $0.root) })
        rig.play()
        #expect(eventually { rig.level == "serious" })
    }

    @Test(arguments: ["sensor-root", "sysfs-root"], ["/no-such-folder", "/sys/class/thermal/thermal_zone0/temp"])
    func postsOneInfoWhenTheRootHasNoSensor(property: String, path: String) {
        let rig = ThermalRig(machine: FakeMachine(celsius: 85), root: { "\(property)=\($0.root)\(path)" })
        rig.play()
        let heard = rig.pipeline.listen(seconds: 0.7)
        #expect(heard.count == 1 && heard[0].hasPrefix("info: No sensor"), "\(heard)")
        #expect(rig.level == "unknown" && rig.action == "none")
    }

    /// The memory of a machine determines its tier.
    @Test(arguments: [("500000", "320x240@15/1"), ("8000000", nil)])
    func determinesTheTierFromTheMachine(kilobytes: String, caps: String?) {
        let machine = FakeMachine()
        machine.write(path: "../proc/meminfo", "MemTotal:       \(kilobytes) kB\n")
        machine.write(path: "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3000000\n")
        let rig = ThermalRig(LadderTests.fixed, "device-tier=auto", machine: machine)
        rig.play()
        // With enough memory, the number of processors of this machine determines the tier.
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let byProcessors = processors < 2 ? "320x240@15/1" : processors < 4 ? "320x240@22/1" : "320x240@30/1"
        #expect(
            eventually { rig.output.frames > 5 && rig.output.last == caps ?? byProcessors }, "\(rig.output.caps)")
    }
}
