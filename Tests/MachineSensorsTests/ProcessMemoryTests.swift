import MachineState
import TestSupport
import Synchronization
import Testing

@testable import MachineSensors

@Suite struct ProcessMemoryTests {
    private let status = "Name:\tVmRSS: 9 kB\nVmHWM:\t    2000 kB\nVmRSS:\t    1760 kB\nVmSwap:\t       8 kB\n"
    private let rollup = """
        5592-7ffc ---p 00000000 00:00 0    [rollup]
        Rss:                1776 kB
        Pss:                 190 kB
        Pss_Dirty:           112 kB
        Private_Clean:        40 kB
        Private_Dirty:       112 kB
        Private_Hugetlb:       4 kB

        """

    @Test func readsAllKindsOfMemory() throws {
        let root = try FakeRoot(["/proc/self/status": status, "/proc/self/smaps_rollup": rollup])
        var reader = ProcessMemoryReader(MachineRoot(folder: root.path))
        let memory = reader.read(at: .seconds(3))
        #expect(memory.resident == 1760 * 1024 && memory.peak == 2000 * 1024 && memory.swapped == 8 * 1024)
        #expect(memory.proportional == 190 * 1024 && memory.unshared == 156 * 1024)
        #expect(memory.sharesReadAt == .seconds(3))
    }

    @Test func peakIsNeverBelowTheResidentMemory() {
        #expect(ProcessMemory(status: "VmHWM:\t 10 kB\nVmRSS:\t 12 kB\n").peak == 12 * 1024)
    }

    @Test func readsASlowFileForAThousandthOfTheTime() {
        let calls = Calls()
        var reader = ProcessMemoryReader(
            .machine,
            files: SystemFiles(read: { [status, rollup] path in
                guard path.hasSuffix("rollup") else { return .text(status) }
                calls.now.add(20, ordering: .relaxed)
                calls.count.add(1, ordering: .relaxed)
                return .text(rollup)
            }), clock: { .milliseconds(calls.now.load(ordering: .relaxed)) })
        // A reading takes 20 ms, so the file is read once in 20 s.
        for second in 0..<100 { #expect(reader.read(at: .seconds(second)).proportional == 190 * 1024) }
        #expect(calls.count.load(ordering: .relaxed) == 5)
        #expect(reader.read(at: .seconds(99)).sharesReadAt == .seconds(80))
    }

    @Test func memoryIsUnknownWithoutFiles() throws {
        let root = try FakeRoot([:])
        var reader = ProcessMemoryReader(MachineRoot(folder: root.path))
        #expect(reader.read(at: .zero) == ProcessMemory())
    }

    private final class Calls: Sendable {
        let now = Atomic<Int>(0)
        let count = Atomic<Int>(0)
    }
}
