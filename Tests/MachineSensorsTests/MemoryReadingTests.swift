import Foundation
import GstTestSupport
import MachineState
import TestSupport
import Testing
import Threads

@testable import MachineSensors

@Suite struct MemoryReadingTests {
    private let short = "some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n"

    /// The memory state in the first reading.
    private func firstState(_ files: [String: String], pipes: [String] = []) throws -> MemoryState {
        let root = try FakeRoot(files, pipes: pipes)
        let sensors = MachineSensors(MachineRoot(folder: root.path))
        let use = sensors.beginUse()
        defer { sensors.endUse(use) }
        try #require(eventually { sensors.thermal(now: MonotonicClock.now) != nil }, "no reading")
        return sensors.state(now: MonotonicClock.now).memory
    }

    @Test func limitOfAParentGroupApplies() throws {
        #expect(
            try firstState([
                "/proc/self/cgroup": "0::/slice/service\n",
                "/sys/fs/cgroup/slice/service/memory.current": "10\n",
                "/sys/fs/cgroup/slice/service/memory.max": "max\n",
                "/sys/fs/cgroup/slice/memory.current": "990\n",
                "/sys/fs/cgroup/slice/memory.max": "1000\n",
            ]) == .short)
    }

    @Test func pressureOfAParentGroupApplies() throws {
        #expect(
            try firstState([
                "/proc/self/cgroup": "0::/slice/service\n", "/sys/fs/cgroup/slice/memory.pressure": short,
                "/sys/fs/cgroup/slice/service/memory.pressure": "some avg10=0.00 avg60=0 avg300=0 total=0\n",
            ]) == .short)
    }

    @Test func memoryIsUnknownWithoutFiles() throws { #expect(try firstState([:]) == .unknown) }

    @Test func pipeInPlaceOfAFileDoesNotBlock() throws {
        #expect(
            try firstState(
                ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.pressure": short],
                pipes: [
                    "/proc/pressure/memory", "/sys/class/thermal/thermal_zone0/temp",
                    "/sys/class/thermal/thermal_zone0/trip_point_0_type",
                ]) == .short)
    }

    /// Tests that, while a driver blocks, the last reading expires, no caller waits, and only one thread is blocked.
    @Test func readingExpiresWhileASensorBlocks() throws {
        let driver = Driver(short)
        let sensors = MachineSensors(.machine, files: SystemFiles(read: { driver.read($0) }))
        let use = sensors.beginUse()
        #expect(eventually { sensors.thermal(now: MonotonicClock.now) != nil })
        let readAt = MonotonicClock.now
        #expect(sensors.state(now: readAt).memory == .short)
        driver.latch.close()
        #expect(eventually { driver.latch.waiting > 0 })
        #expect(sensors.state(now: readAt + MachineSensors.leastValidity + .seconds(1)).memory == .unknown)
        for _ in 0..<100 { sensors.endUse(sensors.beginUse()) }
        sensors.endUse(use)
        let next = sensors.beginUse()
        #expect(driver.latch.waiting == 1)
        driver.latch.open()
        #expect(eventually { sensors.state(now: MonotonicClock.now).memory == .short })
        sensors.endUse(next)
    }

    private final class Driver: Sendable {
        let latch = Latch(isOpen: true)
        private let text: String

        init(_ text: String) { self.text = text }

        func read(_ path: String) -> FileContent {
            guard path == "/proc/pressure/memory" else { return .absent }
            latch.wait()
            return .text(text)
        }
    }
}
