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
        let use = sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(use) }
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
        let use = sensors.beginUse(interval: 10_000_000)
        #expect(becomes { sensors.thermal(now: Monotonic.now) != nil })
        sensors.endUse(use)
        #expect(sensors.thermal(now: Monotonic.now) == nil)
    }

    @Test func everybodyHearsOfReadingsAsOftenAsHeWants() {
        let machine = FakeMachine()
        let sensors = MachineSensors.at(system: machine.root)
        let (often, once) = (Counter(), Counter())
        let rare = sensors.beginUse(interval: 3_600_000_000_000) { once.value.add(1, ordering: .relaxed) }
        let quick = sensors.beginUse(interval: 10_000_000) { often.value.add(1, ordering: .relaxed) }
        #expect(becomes { often.value.load(ordering: .relaxed) > 5 })
        #expect(once.value.load(ordering: .relaxed) == 1)
        sensors.endUse(quick)
        sensors.endUse(rare)
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// A driver that never answers, and later does.
    @Test func aSensorThatHangsIsLeftOutUntilItAnswers() {
        let machine = FakeMachine(celsius: 60)
        machine.addZone("thermal_zone1", "stuck", celsius: 70)
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
        let use = sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(use) }
        #expect(becomes { names() == ["cpu-thermal", "stuck"] })
        box.hangs.store(true, ordering: .relaxed)
        #expect(becomes { names() == ["cpu-thermal"] })
        // One thread waits, and no more come to wait with it.
        usleep(100_000)
        #expect(names() == ["cpu-thermal"] && box.waiting.load(ordering: .relaxed) == 1)
        box.hangs.store(false, ordering: .relaxed)
        #expect(becomes { names() == ["cpu-thermal", "stuck"] })
    }

    /// Whatever hangs, all the rest is read.
    @Test(arguments: [
        "/proc/pressure/memory", "/proc/self/cgroup", "/sys/fs/cgroup/memory.pressure", "/proc/meminfo",
        "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "/sys/class/hwmon", "/sys/class/power_supply",
        "/sys/class/hwmon/hwmon0/name", "/sys/devices/platform/soc/soc:firmware/get_throttled",
        "/sys/class/power_supply/BAT0/type",
    ])
    func whateverHangsTheRestIsRead(path: String) {
        let machine = FakeMachine(celsius: 60)
        machine.write(path: "../proc/pressure/memory", "some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n")
        machine.write(path: "../proc/self/cgroup", "0::/\n")
        machine.write(path: "class/hwmon/hwmon0/name", "coretemp\n")
        machine.write(path: "class/power_supply/BAT0/type", "Battery\n")
        let root = String(machine.root.dropLast(4))
        let box = Box()
        box.hangs.store(true, ordering: .relaxed)
        @Sendable func wait(_ asked: String) {
            guard asked == root + path else { return }
            box.waiting.add(1, ordering: .relaxed)
            while box.hangs.load(ordering: .relaxed) { usleep(10_000) }
            box.waiting.subtract(1, ordering: .relaxed)
        }
        let sensors = MachineSensors(
            root: root,
            read: { path in
                wait(path)
                return try? String(contentsOfFile: path, encoding: .utf8)
            },
            list: { path in
                wait(path)
                return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            })
        let use = sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(use) }
        #expect(becomes { box.waiting.load(ordering: .relaxed) == 1 })
        #expect(becomes { sensors.thermal(now: Monotonic.now)?.zones.map(\.name) == ["cpu-thermal"] })
        // The memory is known unless it is what hangs, and there is always a tier.
        let isMemory = path.contains("cgroup") || path.contains("pressure")
        #expect(sensors.state(now: Monotonic.now).memory == (isMemory ? .unknown : .short))
        #expect(sensors.tier != nil)
        #expect(box.waiting.load(ordering: .relaxed) == 1)
        box.hangs.store(false, ordering: .relaxed)
        #expect(becomes { sensors.state(now: Monotonic.now).memory == .short })
    }

    @Test func aMachineIsLookedAtOnce() {
        let machine = FakeMachine()
        machine.write(path: "../proc/meminfo", "MemTotal:         500000 kB\n")
        let sensors = MachineSensors.at(system: machine.root)
        #expect(sensors.tier == nil)
        let use = sensors.beginUse(interval: 10_000_000)
        defer { sensors.endUse(use) }
        #expect(becomes { sensors.tier == .low })
    }

    @Test func oneFolderHasOneReaderHoweverItIsWritten() {
        let root = FakeMachine().root
        #expect(MachineSensors.at(system: root + "/") === MachineSensors.at(system: root))
        #expect(MachineSensors.at(system: root + "//") === MachineSensors.below(String(root.dropLast(4))))
    }

    private final class Box: Sendable {
        let hangs = Atomic<Bool>(false)
        let waiting = Atomic<Int>(0)
    }
}
