import Foundation
import MachineState
import MachineSupport
import Synchronization
import Testing

import Threads
@testable import MachineSensors

@Suite struct MemoryReadingTests {
    private let short = "some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n"

    /// The first reading.
    private func firstState(_ files: [String: String], pipes: [String] = []) throws -> MemoryState {
        let root = try FakeRoot(files, pipes: pipes)
        let sensors = MachineSensors(MachineRoot(folder: root.path))
        let use = sensors.beginUse()
        defer { sensors.endUse(use) }
        for _ in 0..<5000 {
            if sensors.hasReading { return sensors.state(now: MonotonicClock.now).memory }
            usleep(1000)
        }
        Issue.record("There was no reading within five seconds.")
        return .unknown
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

    /// While a driver blocks, the last reading expires, no caller waits, and one thread is blocked.
    @Test func readingExpiresWhileASensorBlocks() throws {
        let driver = Driver(short)
        let sensors = MachineSensors(.machine, files: SystemFiles(read: { driver.read($0) }))
        let use = sensors.beginUse()
        for _ in 0..<5000 where !sensors.hasReading { usleep(1000) }
        let readAt = MonotonicClock.now
        #expect(sensors.state(now: readAt).memory == .short)
        driver.hangs.store(true, ordering: .relaxed)
        for _ in 0..<5000 where driver.waiting.load(ordering: .relaxed) == 0 { usleep(1000) }
        #expect(sensors.state(now: readAt + MachineSensors.leastValidity + .seconds(1)).memory == .unknown)
        for _ in 0..<100 { sensors.endUse(sensors.beginUse()) }
        sensors.endUse(use)
        let next = sensors.beginUse()
        #expect(driver.waiting.load(ordering: .relaxed) == 1)
        driver.hangs.store(false, ordering: .relaxed)
        for _ in 0..<5000 where sensors.state(now: MonotonicClock.now).memory != .short { usleep(1000) }
        #expect(sensors.state(now: MonotonicClock.now).memory == .short)
        sensors.endUse(next)
    }

    private final class Driver: Sendable {
        let hangs = Atomic<Bool>(false)
        let waiting = Atomic<Int>(0)
        private let text: String

        init(_ text: String) { self.text = text }

        func read(_ path: String) -> String? {
            guard path == "/proc/pressure/memory" else { return nil }
            waiting.add(1, ordering: .relaxed)
            while hangs.load(ordering: .relaxed) { usleep(1000) }
            waiting.subtract(1, ordering: .relaxed)
            return text
        }
    }
}
