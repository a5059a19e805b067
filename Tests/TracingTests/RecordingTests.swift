import Synchronization
import Testing

@testable import TestSupport
@testable import Tracing

/// Tests recordings successively, because a process has only one recorder.
///
/// Tests of other suites may make marks at the same time.
@Suite(.serialized) struct RecordingTests {
    private static let outer = TraceSpan("test.outer")
    private static let inner = TraceSpan("test.inner")
    private static let step = TraceInstant("test.step")
    private static let level = TraceCounter("test.level")

    private final class Flag: Sendable {
        let isSet = Atomic(false)
        func set() { isSet.store(true, ordering: .releasing) }
        var value: Bool { isSet.load(ordering: .acquiring) }
    }

    @Test func nothingIsEvaluatedWhileNothingIsRecorded() throws {
        let writer = try startedWriter()
        _ = consume writer
        var evaluations = 0
        func frame() -> TraceFrame {
            evaluations += 1
            return .none
        }
        // Another test may record a trace at any time, so one of many attempts without a recording is sufficient.
        for _ in 0..<1000 {
            evaluations = 0
            Self.outer.begin(frame: frame()).end()
            Self.step.mark(frame: frame())
            if evaluations == 0 { break }
        }
        #expect(evaluations == 0)
    }

    @Test func oneTraceIsRecordedAtATimeAndAWriterThatGoesEndsIt() throws {
        do {
            let writer = try startedWriter()
            #expect(throws: TraceError.alreadyRecording) { _ = try TraceWriter(processName: "second") }
            _ = consume writer
        }
        _ = try recorded { _, _ in }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func marksOfAllThreadsAreWholeInOrderOrCountedWhileTheWriterDrains(seed: UInt64) throws {
        let (threads, marks) = (8, 20_000)
        let ended = (0..<threads).map { _ in Flag() }
        let names = (0..<threads).map { TraceName(registering: "slices \($0)") }
        let trace = try recorded { writer, bytes in
            let markers = (0..<threads).map { number in
                TestThread("marker \(number)") {
                    Self.markDrawn(marks, seed: (seed * 100) + UInt64(number), slices: names[number])
                    ended[number].set()
                }
            }
            while !ended.allSatisfy(\.value) { bytes += writer.drain() }
            for marker in markers { marker.join() }
        }
        let slices = try trace.slices()
        for number in 0..<threads {
            let track = try #require(trace.track("marker \(number)"))
            let events = trace.events.filter { $0.track == track && $0.name != "trace.lost" }
            let values = events.filter { $0.kind == 3 }.compactMap { Int64($0.notes["value"] ?? "") }
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
            // The running time and the value of a mark are equal unless a record has parts of two marks.
            #expect(events.allSatisfy { $0.kind != 3 || $0.notes["running-time"] == $0.notes["value"] })
            let own = slices.filter { $0.name == "slices \(number)" }
            #expect(own.allSatisfy { $0.end - $0.start == $0.start % 1000 })
            let begun = events.filter { $0.kind == 1 }.count
            #expect(begun + values.count + own.count + trace.lost(on: track) == marks)
        }
    }

    /// Makes random spans, instants and slices; the number of an instant is also its value and running time.
    private static func markDrawn(_ count: Int, seed: UInt64, slices: TraceName) {
        var numbers = DrawnNumbers(seed: seed)
        var open: [OpenSpan] = []
        for number in 0..<count {
            switch numbers.next(below: 3) {
            case 0:
                if open.count == 5 { while let span = open.popLast() { span.end() } }
                open.append((number.isMultiple(of: 2) ? outer : inner).begin())
                continue
            case 1: step.mark(frame: TraceFrame(runningTime: UInt64(number)), value: Int64(number))
            default:
                let start = UInt64(number) * 1000 + numbers.next(below: 1000)
                TraceSlices(slices).mark(from: start, to: start + (start % 1000))
            }
            if numbers.next(below: 2) == 0 { open.popLast()?.end() }
        }
        while let span = open.popLast() { span.end() }
    }

    @Test func aFullRingLosesTheNewestMarksAndCountsThem() throws {
        let trace = try recorded { _, _ in
            TestThread("fills") { for number in 0..<5000 as Range<Int64> { Self.step.mark(value: number) } }.join()
        }
        let track = try #require(trace.track("fills"))
        let values = trace.events("test.step").filter { $0.track == track }.compactMap { $0.notes["value"] }
        #expect(values == (0..<4096).map { "\($0)" })
        #expect(trace.lost(on: track) == 904)
    }

    @Test func spansThatHaveBegunEndEvenInAFullRing() throws {
        let trace = try recorded { _, _ in
            TestThread("fills") {
                let open = (0..<3).map { _ in Self.outer.begin() }
                for _ in 0..<5000 {
                    Self.inner.begin().end()
                    Self.step.mark()
                }
                for span in open.reversed() { span.end() }
            }.join()
        }
        let track = try #require(trace.track("fills"))
        let slices = try trace.slices().filter { $0.track == track }
        #expect(slices.filter { $0.name == "test.outer" }.map(\.depth) == [2, 1, 0])
        let own = trace.events.filter { $0.track == track }
        // An end that the writer adds has the time at which the trace ends, so these three ends were recorded.
        let end = try #require(trace.events("trace.end").first?.time)
        #expect(slices.allSatisfy { $0.end < end })
        #expect(own.filter { $0.kind == 2 }.count == own.filter { $0.kind == 1 }.count)
        #expect(trace.lost(on: track) > 0)
    }

    @Test func spansDeeperThanTheLimitAreCounted() throws {
        let trace = try recorded { _, _ in
            TestThread("deep") {
                let open = (0..<70).map { _ in Self.outer.begin() }
                for span in open.reversed() { span.end() }
            }.join()
        }
        let track = try #require(trace.track("deep"))
        #expect(try trace.slices().filter { $0.track == track }.map(\.depth) == (0..<64).reversed())
        #expect(trace.lost(on: track) == 6)
    }

    @Test func ringsOfEndedThreadsServeNewOnes() throws {
        let trace = try recorded { writer, bytes in
            for number in 0..<600 {
                TestThread("short") { Self.step.mark(value: Int64(number)) }.join()
                if number % 100 == 99 { bytes += writer.drain() }
            }
        }
        let marks = trace.events("test.step")
        let tracks = Set(trace.tracks.filter { $0.value.name == "short" }.keys)
        #expect(marks.filter { tracks.contains($0.track) }.map { $0.notes["value"] } == (0..<600).map { "\($0)" })
    }

    @Test func threadsWithoutARingAreCounted() throws {
        let placed = Flag()
        let trace = try recorded { writer, bytes in
            let arrived = Shared()
            let threads = (0..<300).map { _ in
                TestThread("many") {
                    Self.step.mark()
                    arrived.count.add(1, ordering: .releasing)
                    while !placed.value { TestThread.giveWay() }
                }
            }
            while arrived.count.load(ordering: .acquiring) < 300 { TestThread.giveWay() }
            placed.set()
            for thread in threads { thread.join() }
        }
        let tracks = Set(trace.tracks.filter { $0.value.name == "many" }.keys)
        let kept = trace.events("test.step").filter { tracks.contains($0.track) }.count
        let lost = trace.events("trace.lost").filter { $0.notes["reason"] == "too many threads" }
            .compactMap { Int($0.notes["records"] ?? "") }.reduce(0, +)
        #expect(kept <= 256)
        #expect(kept + lost >= 300)
        #expect(kept > 100)
    }

    private final class Shared: Sendable { let count = Atomic(0) }
}
