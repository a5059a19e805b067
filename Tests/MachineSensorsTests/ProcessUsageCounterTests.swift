import TestSupport
import Testing

@testable import MachineState

@Suite struct ProcessUsageCounterTests {
    private func record(
        _ counter: inout ProcessUsageCounter, total: Duration? = nil, _ times: [Int32: Double], isComplete: Bool = true,
        at seconds: Double
    ) -> ProcessUsage {
        counter.record(
            total: total, threads: times.map { ThreadTime(id: $0, time: .seconds($1), name: "t\($0)") },
            isComplete: isComplete, processors: 4, at: .seconds(seconds))
    }

    @Test func countsProcessorsUsedSinceTheLastReading() {
        var counter = ProcessUsageCounter()
        #expect(record(&counter, total: .seconds(10), [1: 4, 2: 6], at: 100).cores == nil)
        let usage = record(&counter, total: .seconds(11.5), [1: 5, 2: 6.5], at: 101)
        #expect(usage.cores == 1.5 && usage.time == .seconds(11.5))
        #expect(usage.threads.first { $0.id == 2 } == ThreadUsage(id: 2, name: "t2", time: .seconds(6.5), cores: 0.5))
        #expect(usage.cores(of: [1, 2, 3]) == 1.5 && usage.cores(of: [3]) == nil)
    }

    @Test func threadThatEndedStaysInTheSum() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: 1, 2: 6], at: 0)
        let usage = record(&counter, [1: 1.25], at: 1)
        #expect(usage.time == .seconds(7.25) && usage.cores == 0.25 && usage.threads.count == 1)
    }

    @Test func anotherThreadWithTheSameIDBeginsAtZero() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: 0, 2: 6], at: 0)
        let usage = record(&counter, [1: 0, 2: 0.5], at: 1)
        #expect(usage.cores(of: [2]) == 0.5 && usage.time == .seconds(6.5) && usage.cores == 0.5)
    }

    @Test func threadThatIsNewHasUsedItsTimeSinceTheLastReading() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, [1: 0], at: 0)
        #expect(record(&counter, [1: 0, 2: 0.25], at: 1).cores(of: [2]) == 0.25)
        var cut = ProcessUsageCounter()
        _ = record(&cut, [1: 0], isComplete: false, at: 0)
        #expect(record(&cut, [1: 0, 2: 0.25], isComplete: false, at: 1).cores(of: [2]) == nil)
    }

    @Test func totalThatFallsOrJumpsStaysWithinTheProcessors() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, total: .seconds(10), [1: 1], at: 0)
        let fallen = record(&counter, total: .seconds(3), [1: 1], at: 1)
        #expect(fallen.cores == 0 && fallen.time == .seconds(10))
        #expect(record(&counter, total: .seconds(1e9), [1: 900], at: 2).cores == 4)
        #expect(record(&counter, total: .seconds(1e9), [1: 1800], at: 3).cores(of: [1]) == 1)
    }

    @Test func clockThatStandsOrFallsGivesNoAbsurdShare() {
        var counter = ProcessUsageCounter()
        _ = record(&counter, total: .seconds(1), [1: 1], at: 10)
        let usage = record(&counter, total: .seconds(1.5), [1: 1.5], at: 11)
        #expect(record(&counter, total: .seconds(9), [1: 9], at: 11) == usage)
        #expect(record(&counter, total: .seconds(2), [1: 2], at: 5).cores == nil)
        #expect(record(&counter, total: .seconds(2.5), [1: 2.5], at: 6).cores == 0.5)
    }

    /// Tests times, thread ids and a clock that change randomly.
    @Test(arguments: 1...20) func sharesStayInBoundsWhateverTheFilesContain(seed: UInt64) {
        var random = Random(seed: seed)
        var counter = ProcessUsageCounter()
        var now = Duration.seconds(1000)
        var last = Duration.zero
        for _ in 0..<500 {
            now += .milliseconds(Int64(random.next() % 3000) - 300)
            let extreme = [0, 1, Int64.max, Int64(random.next() >> 1), Int64(random.next() >> 40)]
            let threads = (0..<Int(random.next() % 8)).map { _ in
                ThreadTime(
                    id: Int32(random.next() % 12),
                    time: random.next() % 5 == 0 ? nil : .nanoseconds(extreme[Int(random.next() % 5)]))
            }
            let usage = counter.record(
                total: random.next() % 4 == 0 ? nil : .nanoseconds(extreme[Int(random.next() % 5)]), threads: threads,
                isComplete: random.next() % 3 != 0, processors: random.next() % 3 == 0 ? nil : 2, at: now)
            #expect(usage.cores.map { (0...8).contains($0) } ?? true)
            #expect(usage.threads.allSatisfy { $0.cores.map { (0...1).contains($0) } ?? true })
            #expect((usage.time ?? last) >= last)
            last = usage.time ?? last
        }
    }

    @Test func turnsReachEveryItem() {
        var turns = Turns()
        #expect(turns.take(3, of: 2) == [0, 1])
        #expect((0..<3).flatMap { _ in turns.take(2, of: 5) } == [0, 1, 2, 3, 4, 0])
        #expect(turns.take(2, of: 1) == [0] && turns.take(2, of: 0) == [])
    }
}
