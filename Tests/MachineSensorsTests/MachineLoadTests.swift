import MachineState
import TestSupport
import Synchronization
import Testing

@testable import MachineSensors

/// Tests the load of the machine, which is busy processors, stolen time, and pressure.
@Suite struct MachineLoadTests {
    private static let first = """
        cpu  3000 0 0 1000 0 0 0 0 0 0
        cpu0 1000 100 50 500 10 5 5 0 0 0
        cpu1 2000 100 50 500 10 5 5 0 0 0
        intr 5 5

        """
    /// A second after `first`, processor 0 has run 90 ticks and lost 5 to the hypervisor, and processor 1 has run 20.
    private static let second = """
        cpu  3000 0 0 1000 0 0 0 0 0 0
        cpu0 1050 120 60 503 12 10 10 5 0 0
        cpu1 2010 105 55 575 15 5 5 0 0 0
        intr 6 6

        """

    @Test func countsBusyAndStolenProcessors() throws {
        let load = try #require(ProcessorTimes(stat: Self.second).load(since: ProcessorTimes(stat: Self.first)))
        #expect(load.processors == 2)
        #expect(abs(load.busy - (90.0 / 100 + 20.0 / 100)) < 1e-9 && abs(load.stolen - 0.05) < 1e-9)
        let one = ProcessorTimes(stat: Self.second).load(since: ProcessorTimes(stat: Self.first), among: [1, 7])
        #expect(one?.processors == 1 && abs((one?.busy ?? 0) - 0.2) < 1e-9)
        #expect(ProcessorTimes(stat: Self.second).load(since: ProcessorTimes(stat: Self.first), among: [9]) == nil)
    }

    @Test func timesThatStandOrFallAreNoLoad() {
        let (before, after) = (ProcessorTimes(stat: Self.first), ProcessorTimes(stat: Self.second))
        #expect(before.load(since: before) == nil && before.load(since: after) == nil)
        #expect(ProcessorTimes(stat: "").load(since: ProcessorTimes(stat: "")) == nil)
    }

    @Test func aLineThatIsCutOffIsNotRead() {
        let cut = String(Self.second.prefix { $0 != "i" }.dropLast(8))
        #expect(ProcessorTimes(stat: cut).load(since: ProcessorTimes(stat: Self.first))?.processors == 1)
    }

    @Test(arguments: [
        "cpu0 1 2 3\n", "cpu0 1 2 3 4 5 6 7\n", "cpu0 -1 2 3 4 5 6 7 8\n", "cpu 1 2 3 4 5 6 7 8\n",
        "cpu0 18446744073709551615 18446744073709551615 18446744073709551615 1 1 1 1 1\n",
        "cpu99999999999999999999 1 1 1 1 1 1 1 1\n", "cpu70000 1 1 1 1 1 1 1 1\n", "cpux 1 1 1 1 1 1 1 1\n",
        "\u{0}\n", "🙂\n", "cpu\n", "cpu0\n", "cpu0 a b c d e f g h\n",
    ]) func textsThatNoKernelWritesHaveNoProcessors(text: String) {
        #expect(ProcessorTimes(stat: text) == ProcessorTimes(stat: ""))
    }

    @Test func pressureIsTheTotalOfSome() {
        #expect(
            ProcessorTimes.waited(pressure: "some avg10=9.9 avg60=0 avg300=0 total=1500\nfull total=7\n")
                == .microseconds(1500)
        )
        for text in [
            "", "full total=7\n", "some total=\n", "some total=-1\n", "some avg10=1\n", "some total=1x\n",
            "some total=18446744073709551615\n", "some total=99999999999999999999\n", "some\n",
        ] {
            #expect(ProcessorTimes.waited(pressure: text) == nil, "\(text)")
        }
    }

    @Test func readerCountsTheProcessorsThatTheProcessMayUse() throws {
        let root = try FakeRoot([
            "/proc/stat": Self.first, "/proc/pressure/cpu": "some avg10=0 total=1000000\n",
            "/proc/self/status": "Name:\ta\nCpus_allowed_list:\t1\n",
        ])
        var reader = MachineLoadReader(MachineRoot(folder: root.path))
        #expect(reader.read(at: .seconds(10)) == MachineLoadReader.Load())
        root.write("/proc/stat", Self.second)
        root.write("/proc/pressure/cpu", "some avg10=0 total=1750000\n")
        let load = reader.read(at: .seconds(11))
        #expect(load.processors?.processors == 1 && abs((load.processors?.busy ?? 0) - 0.2) < 1e-9)
        #expect(load.pressure == 0.75)
        #expect(reader.read(at: .seconds(11.1)) == load, "too soon for a new one")
        // The mean since the first reading is half as high, because the last of the two seconds had no pressure.
        let mean = reader.read(at: .seconds(12), sinceStart: true)
        #expect(mean.pressure == 0.375 && mean.processors == load.processors)
    }

    @Test func machineWithoutTheFilesHasNoLoad() throws {
        let root = try FakeRoot(["/proc/self/comm": "a\n"])
        var reader = MachineLoadReader(MachineRoot(folder: root.path))
        for second in 0..<4 { #expect(reader.read(at: .seconds(second)) == MachineLoadReader.Load()) }
    }

    @Test(arguments: 1...50) func loadStaysInBoundsWhateverTheFilesContain(seed: UInt64) {
        let random = Mutex(Random(seed: seed))
        let files = SystemFiles(
            read: { _ in .text("some total=\(random.withLock { $0.next() >> 1 })\nCpus_allowed_list:\t0-2\n") },
            readStart: { _ in
                random.withLock { random in
                    if random.next() % 8 == 0 { return .unreadable }
                    let lines = (0..<4).map { number in
                        "cpu\(number)" + (0..<9).map { _ in " \(random.next() >> (random.next() % 64))" }.joined()
                    }
                    return .text(lines.joined(separator: "\n") + "\n")
                }
            })
        var reader = MachineLoadReader(MachineRoot(folder: "/nowhere"), files: files)
        for second in [0, 1, 2, 1, 1, 20, 1_000_000_000, 1_000_000_001] {
            let load = reader.read(at: .seconds(second), sinceStart: seed % 3 == 0)
            #expect(load.pressure.map { (0...1).contains($0) } ?? true)
            guard let processors = load.processors else { continue }
            #expect((1...3).contains(processors.processors))
            #expect((0...Double(processors.processors)).contains(processors.busy))
            #expect((0...Double(processors.processors)).contains(processors.stolen))
        }
    }

    @Test func fileThatIsTooLongIsReadFromItsStart() throws {
        let root = try FakeRoot(["/long": String(repeating: "a", count: 70_000), "/short": "b"], pipes: ["/pipe"])
        #expect(SystemFiles.start(of: root.path + "/long").text?.utf8.count == 65_536)
        #expect(SystemFiles.start(of: root.path + "/short") == .text("b"))
        #expect(SystemFiles.start(of: root.path + "/pipe") == .unreadable)
    }
}

/// Tests the time for which threads are ready to run but have no processor.
@Suite struct ProcessorWaitTests {
    private func record(
        _ counter: inout ProcessUsageCounter, _ times: [Int32: (ran: Double, waited: Double?)], at seconds: Double
    ) -> ProcessUsage {
        counter.record(
            total: nil,
            threads: times.map { ThreadTime(id: $0, time: .seconds($1.ran), waited: $1.waited.map { .seconds($0) }) },
            isComplete: true, processors: 4, at: .seconds(seconds))
    }

    @Test func readsTheWaitBehindTheTime() {
        #expect(ThreadTime.times(schedstat: "5 7 1\n").map { [$0, $1] } == [.nanoseconds(5), .nanoseconds(7)])
        for text in ["5 18446744073709551615 1\n", "5 9223372036854775808 1\n", "5 -1 1\n", "5  1\n", "0 9 0\n", "5 7"]
        {
            #expect(ThreadTime.times(schedstat: text) == nil, "\(text)")
        }
    }

    @Test func countsThreadsThatWaitSinceTheLastReading() {
        var counter = ProcessUsageCounter()
        let first = record(&counter, [1: (4, 100), 2: (6, 50)], at: 100)
        #expect(first.waiting == nil && first.waited == .zero)
        let second = record(&counter, [1: (4.25, 100.75), 2: (6.5, 50.5)], at: 101)
        #expect(second.waiting == 1.25 && second.waited == .seconds(1.25))
        #expect(second.waiting(of: [1]) == 0.75 && second.waiting(of: [3]) == nil)
        // A new thread has waited since the last reading. The sum still contains the waits of a thread that has ended.
        let third = record(&counter, [2: (6.5, 50.5), 3: (0.25, 0.5)], at: 102)
        #expect(third.waiting == 0.5 && third.waited == .seconds(1.75))
    }

    @Test func anotherThreadWithTheSameIDBeginsAtZero() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: (4, 100)], at: 0)
        #expect(record(&counter, [1: (0.5, 0.25)], at: 1).waited == .seconds(0.25))
        #expect(record(&counter, [1: (0.75, 0.125)], at: 2).waiting == 0.125)
    }

    @Test func threadThatWasNotReadHasNoWait() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: (4, nil)], at: 0)
        let usage = record(&counter, [1: (5, nil)], at: 1)
        #expect(usage.waited == nil && usage.waiting == nil && usage.cores == 1)
        // The sum begins at the first reading of a wait, because earlier waits are unknown.
        #expect(record(&counter, [1: (5, 70)], at: 2).waited == .zero)
        #expect(record(&counter, [1: (5, 70.5)], at: 4).waiting == 0.25)
    }

    /// The kernel adds a long wait to the time of a thread only when the wait ends.
    @Test func waitIsNeverLongerThanTheTime() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: (1, 1)], at: 0)
        #expect(record(&counter, [1: (1, 30)], at: 1).waiting == 1)
    }

    @Test func readerTakesTheWaitFromTheFileOfEachThread() throws {
        let root = try FakeRoot(["/proc/self/task/7/schedstat": "1000000000 500000000 10\n"])
        var reader = ProcessUsageReader(MachineRoot(folder: root.path))
        #expect(reader.read(at: .seconds(1)).waited == .zero)
        root.write("/proc/self/task/7/schedstat", "1000000000 1250000000 10\n")
        let usage = reader.read(at: .seconds(2))
        #expect(usage.waiting == 0.75 && usage.waited == .seconds(0.75))
    }
}
