import Foundation
import StreamControl
import Synchronization
import Testing

@testable import GStreamer
@testable import SwiftVideoPlugin

@Suite struct SensorTests {
    private func becomes(seconds: Int = 10, _ isTrue: () -> Bool) -> Bool {
        for _ in 0..<(seconds * 100) {
            if isTrue() { return true }
            usleep(10_000)
        }
        return isTrue()
    }

    @Test func everyKindOfSensorIsRead() {
        let machine = FakeMachine(celsius: 85)
        machine.write(path: "class/hwmon/hwmon0/name", "coretemp\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_input", "61000\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_crit", "100000\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_label", "Package id 0\n")
        machine.write(path: "class/power_supply/BAT0/type", "Battery\n")
        machine.write(path: "class/power_supply/BAT0/temp", "330\n")
        machine.write(path: "class/power_supply/AC/type", "Mains\n")
        machine.write(path: "devices/platform/soc/soc:firmware/get_throttled", "50005\n")
        let sensors = MachineSensors.at(system: machine.root)
        sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(interval: 10_000_000) }
        #expect(becomes { sensors.thermal(now: Monotonic.now) != nil })
        let reading = sensors.thermal(now: Monotonic.now)
        #expect(reading?.zones.map(\.name) == ["cpu-thermal", "coretemp:Package id 0", "BAT0"])
        #expect(reading?.zones.map(\.zone.celsius) == [85, 61, 33])
        #expect(reading?.throttle?.isUnderVoltage == true)
        // Another element in the process learns it from the same reader.
        #expect(MachineSensors.at(system: machine.root) === sensors)
        #expect(MachineSensors.below(String(machine.root.dropLast(4))) === sensors)
        #expect(sensors.state(now: Monotonic.now).heat == .serious)
    }

    @Test func nothingIsReadForNobody() {
        let sensors = MachineSensors.at(system: FakeMachine().root)
        #expect(sensors.thermal(now: Monotonic.now) == nil)
        sensors.beginUse(interval: 10_000_000)
        #expect(becomes { sensors.thermal(now: Monotonic.now) != nil })
        sensors.endUse(interval: 10_000_000)
        #expect(sensors.thermal(now: Monotonic.now) == nil)
    }

    /// A driver that never answers, and later does.
    @Test func aSensorThatHangsIsLeftOutUntilItAnswers() {
        let machine = FakeMachine(celsius: 60)
        for file in ["trip_point_0_type", "trip_point_0_temp"] {
            machine.write(path: "class/thermal/thermal_zone1/\(file)", file.hasSuffix("type") ? "passive" : "80000")
        }
        machine.write(path: "class/thermal/thermal_zone1/temp", "70000")
        machine.write(path: "class/thermal/thermal_zone1/type", "stuck")
        let box = Box()
        let sensors = MachineSensors(
            root: String(machine.root.dropLast(4)),
            read: { path in
                if path.hasSuffix("thermal_zone1/temp") {
                    box.waiting.add(1, ordering: .relaxed)
                    while box.hangs.load(ordering: .relaxed) { usleep(10_000) }
                    box.waiting.subtract(1, ordering: .relaxed)
                }
                return try? String(contentsOfFile: path, encoding: .utf8)
            })
        func names() -> [String] { sensors.thermal(now: Monotonic.now)?.zones.map(\.name) ?? [] }
        sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(interval: 10_000_000) }
        #expect(becomes { names() == ["cpu-thermal", "stuck"] })
        box.hangs.store(true, ordering: .relaxed)
        #expect(becomes { names() == ["cpu-thermal"] })
        // One thread waits, and no more come to wait with it.
        usleep(100_000)
        #expect(names() == ["cpu-thermal"] && box.waiting.load(ordering: .relaxed) == 1)
        box.hangs.store(false, ordering: .relaxed)
        #expect(becomes { names() == ["cpu-thermal", "stuck"] })
    }

    private final class Box: Sendable {
        let hangs = Atomic<Bool>(false)
        let waiting = Atomic<Int>(0)
    }
}
