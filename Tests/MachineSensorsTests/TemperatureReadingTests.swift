import Foundation
import GstTestSupport
import MachineState
import TestSupport
import Synchronization
import Testing
import Threads

@testable import MachineSensors

@Suite struct TemperatureReadingTests {
    @Test func readsEveryKindOfSensor() {
        let machine = FakeMachine(celsius: 85)
        machine.write(path: "class/hwmon/hwmon0/name", "coretemp\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_input", "61000\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_crit", "100000\n")
        machine.write(path: "class/hwmon/hwmon0/temp1_label", "Package id 0\n")
        machine.write(path: "class/power_supply/BAT0/type", "Battery\n")
        machine.write(path: "class/power_supply/BAT0/temp", "330\n")
        machine.write(path: "class/power_supply/AC/type", "Mains\n")
        machine.write(path: "devices/platform/soc/soc:firmware/get_throttled", "50005\n")
        let sensors = MachineSensors.shared(MachineRoot(system: machine.system))
        let use = sensors.beginUse(interval: .milliseconds(10))
        defer { sensors.endUse(use) }
        #expect(eventually { sensors.thermal(now: MonotonicClock.now) != nil })
        let reading = sensors.thermal(now: MonotonicClock.now)
        #expect(reading?.zones.map(\.name) == ["cpu-thermal", "coretemp:Package id 0", "BAT0"])
        #expect(reading?.zones.map(\.zone.celsius) == [85, 61, 33])
        #expect(reading?.throttle?.isUnderVoltage == true)
        // All elements of the process use the same reader.
        #expect(MachineSensors.shared(MachineRoot(system: machine.system)) === sensors)
        #expect(MachineSensors.shared(MachineRoot(folder: machine.root)) === sensors)
        #expect(sensors.state(now: MonotonicClock.now).heat == .serious)
    }

    @Test func readsNothingWithoutAUse() {
        let sensors = MachineSensors.shared(MachineRoot(folder: FakeMachine().root))
        #expect(sensors.thermal(now: MonotonicClock.now) == nil)
        let use = sensors.beginUse(interval: .milliseconds(10))
        #expect(eventually { sensors.thermal(now: MonotonicClock.now) != nil })
        sensors.endUse(use)
        #expect(sensors.thermal(now: MonotonicClock.now) == nil)
    }

    @Test func callsEachUseAtItsOwnInterval() {
        let machine = FakeMachine()
        let sensors = MachineSensors.shared(MachineRoot(system: machine.system))
        let (often, once) = (Counter(), Counter())
        let rare = sensors.beginUse(interval: .seconds(3600)) { once.value.add(1, ordering: .relaxed) }
        let quick = sensors.beginUse(interval: .milliseconds(10)) { often.value.add(1, ordering: .relaxed) }
        #expect(eventually { often.value.load(ordering: .relaxed) > 5 })
        #expect(once.value.load(ordering: .relaxed) == 1)
        sensors.endUse(quick)
        sensors.endUse(rare)
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// The driver of one sensor blocks until the test opens `driver`.
    @Test func leavesABlockedSensorOutUntilItAnswers() {
        let machine = FakeMachine(celsius: 60)
        machine.addZone("thermal_zone1", "stuck", celsius: 70)
        let driver = Latch(isOpen: true)
        let sensors = MachineSensors(
            MachineRoot(folder: machine.root),
            files: SystemFiles(read: { path in
                if path.hasSuffix("thermal_zone1/temp") { driver.wait() }
                return SystemFiles.content(at: path)
            }))
        func names() -> [String] { sensors.thermal(now: MonotonicClock.now)?.zones.map(\.name) ?? [] }
        let use = sensors.beginUse(interval: .milliseconds(10))
        defer { sensors.endUse(use) }
        #expect(eventually { names() == ["cpu-thermal", "stuck"] })
        driver.close()
        #expect(eventually { names() == ["cpu-thermal"] })
        // One thread is blocked, and no further thread becomes blocked.
        #expect(remains(for: .milliseconds(100)) { names() == ["cpu-thermal"] && driver.waiting == 1 })
        driver.open()
        #expect(eventually { names() == ["cpu-thermal", "stuck"] })
    }

    @Test(arguments: [
        "/proc/pressure/memory", "/proc/self/cgroup", "/sys/fs/cgroup/memory.pressure", "/proc/meminfo",
        "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "/sys/class/hwmon", "/sys/class/power_supply",
        "/sys/class/hwmon/hwmon0/name", "/sys/devices/platform/soc/soc:firmware/get_throttled",
        "/sys/class/power_supply/BAT0/type", "/sys/devices/platform", "/sys/firmware/devicetree/base/model",
    ])
    func readsOtherFilesWhileOneBlocks(path: String) {
        let machine = FakeMachine(celsius: 60)
        machine.write(path: "../proc/pressure/memory", "some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n")
        machine.write(path: "../proc/self/cgroup", "0::/\n")
        machine.write(path: "class/hwmon/hwmon0/name", "coretemp\n")
        machine.write(path: "class/power_supply/BAT0/type", "Battery\n")
        machine.write(path: "devices/platform/soc/soc:firmware/get_throttled", "0\n")
        let root = machine.root
        let driver = Latch()
        @Sendable func wait(_ asked: String) { if asked == root + path { driver.wait() } }
        let sensors = MachineSensors(
            MachineRoot(folder: root),
            files: SystemFiles(
                read: { path in
                    wait(path)
                    return SystemFiles.content(at: path)
                },
                list: { path, most in
                    wait(path)
                    return SystemFiles.names(in: path, most: most)
                }))
        let use = sensors.beginUse(interval: .milliseconds(10))
        defer { sensors.endUse(use) }
        #expect(eventually { driver.waiting == 1 })
        #expect(eventually { sensors.thermal(now: MonotonicClock.now)?.zones.map(\.name) == ["cpu-thermal"] })
        // The memory state is unknown only if its file blocks; the tier is always known.
        let isMemory = path.contains("cgroup") || path.contains("pressure")
        #expect(sensors.state(now: MonotonicClock.now).memory == (isMemory ? .unknown : .short))
        #expect(sensors.tier != nil)
        #expect(driver.waiting == 1)
        driver.open()
        #expect(eventually { sensors.state(now: MonotonicClock.now).memory == .short })
    }

    @Test func readsTheTierOfTheMachine() {
        let machine = FakeMachine()
        machine.write(path: "../proc/meminfo", "MemTotal:         500000 kB\n")
        let sensors = MachineSensors.shared(MachineRoot(system: machine.system))
        #expect(sensors.tier == nil)
        let use = sensors.beginUse(interval: .milliseconds(10))
        defer { sensors.endUse(use) }
        #expect(eventually { sensors.tier == .low })
    }

    @Test func sharesOneReaderPerFolderHoweverThePathIsWritten() {
        let machine = FakeMachine()
        let sensors = MachineSensors.shared(MachineRoot(folder: machine.root))
        #expect(MachineSensors.shared(MachineRoot(folder: machine.root + "/")) === sensors)
        #expect(MachineSensors.shared(MachineRoot(system: machine.system)) === sensors)
        #expect(MachineSensors.shared(MachineRoot(system: machine.system + "//")) === sensors)
        #expect(MachineSensors.shared(MachineRoot(folder: "")) === MachineSensors.shared())
    }
}
