import Foundation
import GstTestSupport
import TestSupport
import Synchronization
import Testing
import Threads

@testable import MachineSensors
@testable import MachineState

@Suite struct ProcessReadingTests {
    private func reader(_ root: FakeRoot) -> ProcessUsageReader { ProcessUsageReader(MachineRoot(folder: root.path)) }

    @Test func readsThreadsProcessAndProcessors() throws {
        let root = try FakeRoot([
            "/proc/self/task/7/schedstat": "1000000000 5 10\n", "/proc/self/task/7/comm": "queue0:src\n",
            "/proc/self/task/9/schedstat": "2000000000 5 10\n", "/proc/self/task/9/comm": "a\u{1}b\n",
            "/proc/self/stat": "7 (a) b) S 1 1 1 0 -1 4 1 0 0 0 250 50 0 0 20 0 2 0 99\n",
            "/proc/self/status": "Name:\ta\nCpus_allowed_list:\t0-2,5\n", "/sys/devices/system/cpu/present": "0-7\n",
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/cpu.max": "150000 100000\n",
            "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
        ])
        var reader = reader(root)
        let first = reader.read(at: .seconds(10))
        #expect(first.processors == 1.5 && first.cores == nil && first.time == .seconds(3))
        #expect(Set(first.threads.map(\.name)) == ["queue0:src", "a?b"])
        root.write("/proc/self/task/7/schedstat", "1500000000 5 10\n")
        root.write("/proc/self/task/7/comm", "queue1:src\n")
        root.write("/proc/self/stat", "7 (a) b) S 1 1 1 0 -1 4 1 0 0 0 300 100 0 0 20 0 2 0 99\n")
        let second = reader.read(at: .seconds(11))
        #expect(second.cores == 1 && second.hasAllThreads)
        #expect(
            second.threads.first { $0.id == 7 }
                == ThreadUsage(
                    id: 7, name: "queue1:src", time: .seconds(1.5), cores: 0.5, waited: .nanoseconds(5), waiting: 0))
    }

    @Test func limitsProcessorsByTheQuotaOfVersion1() throws {
        let root = try FakeRoot([
            "/proc/self/cgroup": "3:cpu,cpuacct:/x\n0::/y\n", "/proc/self/status": "Cpus_allowed_list:\t0-3\n",
            "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "50000\n", "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        ])
        var reader = reader(root)
        #expect(reader.read(at: .zero).processors == 0.5)
    }

    @Test func readsABoundedNumberOfFilesHoweverManyThreadsThereAre() {
        let count = Atomic<Int>(0)
        let shared = Counted(count: count)
        var reader = ProcessUsageReader(
            MachineRoot(folder: "/nowhere"),
            files: SystemFiles(
                read: { path in
                    shared.count.add(1, ordering: .relaxed)
                    return path.hasSuffix("schedstat")
                        ? .text("1000 0 1\n") : path.hasSuffix("comm") ? .text("n\n") : .absent
                }, list: { _, most in (1...most).map(String.init) }))
        var seen: Set<Int32> = []
        for second in 0..<40 {
            let before = shared.count.load(ordering: .relaxed)
            let usage = reader.read(at: .seconds(second))
            let files = shared.count.load(ordering: .relaxed) - before
            #expect(files <= ProcessUsageReader.mostNames + ProcessUsageReader.mostTimes + 5)
            #expect(!usage.hasAllThreads && usage.threads.count <= ProcessUsageReader.mostThreads)
            seen.formUnion(usage.threads.filter { !$0.name.isEmpty }.map(\.id))
        }
        #expect(seen.count == ProcessUsageReader.mostThreads)
    }

    private final class Counted: Sendable {
        let count: Atomic<Int>
        init(count: consuming Atomic<Int>) { self.count = count }
    }

    /// Reads the kernel's clocks of this process while a thread spins, and after the thread has ended.
    @Test func measuresThisProcess() throws {
        let isOver = Flag()
        let id = Flag()
        let spinning = Thread {
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            id.value.store(link?.split(separator: "/").last.flatMap { Int($0) } ?? -1, ordering: .relaxed)
            while isOver.value.load(ordering: .relaxed) == 0 {}
        }
        spinning.start()
        #expect(eventually { id.value.load(ordering: .relaxed) != 0 })
        var reader = ProcessUsageReader()
        let thread = Int32(id.value.load(ordering: .relaxed))
        let first = reader.read(at: MonotonicClock.now)
        #expect(first.threads.contains { $0.id == thread })
        var usage = first
        func used() -> Double {
            usage = reader.read(at: MonotonicClock.now)
            return usage.cores(of: [thread]) ?? 0
        }
        #expect(eventually { used() > 0 })
        isOver.value.store(1, ordering: .relaxed)
        #expect((usage.cores ?? -1) >= 0 && (usage.cores(of: [thread]) ?? 2) <= 1)
        #expect(
            eventually {
                usage = reader.read(at: MonotonicClock.now)
                return !usage.threads.contains { $0.id == thread }
            })
        let before = try #require(first.time)
        #expect(try #require(usage.time) > before)
        // The time of the process includes the times of its threads, but may be behind by one tick for each thread.
        let sum = usage.threads.reduce(Duration.zero) { $0 + $1.time }
        #expect(try sum < #require(usage.time) * 3 / 2)
    }

    private final class Flag: Sendable {
        let value = Atomic<Int>(0)
    }
}
