import CSystem
import Synchronization
import Testing

@testable import TestSupport
@testable import Tracing

extension RecordingTests {
    /// Tests marks at the beginning and the end of recordings, and marks of several threads.
    @Suite(.serialized) struct Life {
        private static let outer = TraceSpan("life.outer")
        private static let inner = TraceSpan("life.inner")
        private static let step = TraceInstant("life.step")

        private final class Flag: Sendable {
            private let isSet = Atomic(false)
            func set() { isSet.store(true, ordering: .releasing) }
            var value: Bool { isSet.load(ordering: .acquiring) }
        }

        @Test func everyTraceIsWholeWhileThreadsMarkAndRecordingStartsAndStops() throws {
            let isOver = Flag()
            let threads = (0..<4).map { number in
                TestThread("marks \(number)") {
                    while !isOver.value {
                        let outer = Self.outer.begin()
                        let inner = Self.inner.begin()
                        Self.step.mark()
                        inner.end()
                        Self.step.mark()
                        outer.end()
                        TestThread.giveWay()
                    }
                }
            }
            defer {
                isOver.set()
                for thread in threads { thread.join() }
            }
            var marks = 0
            for _ in 0..<20 {
                let trace = try recorded { writer, bytes in
                    while bytes.count < 20_000 { bytes += writer.drain() }
                }
                let start = try #require(trace.clocks.first?[3])
                for name in ["life.outer", "life.inner", "life.step"] {
                    #expect(trace.events(name).allSatisfy { $0.time >= start })
                }
                for slice in try trace.slices() where slice.name.hasPrefix("life.") {
                    // A span inside a span that was lost has the depth 0.
                    #expect(slice.depth <= (slice.name == "life.inner" ? 1 : 0))
                }
                marks += trace.events("life.step").count
            }
            #expect(marks > 1000)
        }

        @Test func aSpanThatBeganBeforeTheTraceIsNotInIt() throws {
            var first = try startedWriter()
            let early = Self.outer.begin()
            #expect(early.level > 0)
            _ = first.finish()
            let trace = try recorded { _, _ in
                Self.inner.begin().end()
                early.end()
            }
            #expect(try trace.slices().map(\.name).filter { $0.hasPrefix("life.") } == ["life.inner"])
        }

        @Test func aMarkThatIsLateByASessionIsLeftOut() throws {
            let trace = try recorded { _, _ in
                Self.step.mark(value: 1)
                let thread = try #require(ctracing_get_thread())
                let ring = thread.assumingMemoryBound(to: RecordRing.self)
                let (session, name) = (ring.pointee.session.load(ordering: .relaxed), TraceName("life.late").address)
                let now = ctracing_monotonic()
                // The records have the previous session, a time before the start, and the present session and time.
                for (session, time) in [(session - 1, now), (session, 1), (session, now)] {
                    ring.pointee.append(
                        TraceRecord(.instantWithValue, name: name, time: time, value: 5, frame: 0, session: session))
                }
            }
            #expect(trace.events("life.late").count == 1)
        }

        @Test func framesAreJoinedFromThreadToThread() throws {
            let names = (TraceName(registering: "source"), TraceName(registering: "sink"))
            let trace = try recorded { _, _ in
                // Other tests may mark frames with earlier times.
                let frames = (1...100 as ClosedRange<UInt64>).map {
                    TraceFrame(runningTime: (1 << 53) + $0 * 40_000_000)
                }
                TestThread("source:src") { for frame in frames { TraceInstant(names.0).mark(frame: frame) } }.join()
                TestThread("queue:src") { for frame in frames { Self.outer.begin(frame: frame).end() } }.join()
                TestThread("sink:sink") {
                    for frame in frames { TraceInstant(names.1).mark(frame: frame, last: true) }
                }.join()
            }
            let flows = try trace.endedFlows().filter { $0.value.first == "source" }
            #expect(flows.count == 100)
            #expect(flows.values.allSatisfy { $0 == ["source", "life.outer", "sink"] })
            for name in ["source:src", "queue:src", "sink:sink"] { #expect(trace.track(name) != nil) }
        }

        @Test func countersAndReasonsArrive() throws {
            let counter = TraceCounter(TraceName(registering: "pool0 bytes"))
            let trace = try recorded { _, _ in
                counter.set(1 << 40)
                counter.set(-5)
                Self.step.mark(last: true, reason: "too late")
            }
            let track = try #require(trace.track("pool0 bytes"))
            #expect(trace.events.filter { $0.track == track }.compactMap(\.counterValue) == [1 << 40, -5])
            #expect(trace.events("life.step").map(\.notes) == [["reason": "too late"]])
        }

        @Test func aThreadHasTheNameThatItHasWhenItIsDrained() throws {
            let (isMarked, isDrained) = (Flag(), Flag())
            let trace = try recorded { writer, bytes in
                let thread = TestThread("before") {
                    Self.step.mark()
                    TestThread.rename("after")
                    isMarked.set()
                    while !isDrained.value { TestThread.giveWay() }
                }
                while !isMarked.value { TestThread.giveWay() }
                bytes += writer.drain()
                isDrained.set()
                thread.join()
            }
            #expect(trace.track("after") != nil)
            #expect(trace.track("before") == nil)
        }

        @Test func theLimitStopsMarksAndEndsTheFile() throws {
            var writer = try startedWriter(maximumBytes: 65536)
            var bytes: [UInt8] = []
            var isFull = false
            for _ in 0..<100 where !isFull {
                for _ in 0..<1000 { Self.outer.begin().end() }
                let more = writer.drain()
                isFull = more.isEmpty
                bytes += more
            }
            #expect(isFull)
            #expect(bytes.count <= 65536)
            let rest = writer.drain() + writer.finish()
            #expect(rest.isEmpty)
            #expect(try DecodedTrace(bytes).events.last?.notes["reason"] == "max-bytes reached")
            // Another trace can be recorded although the finished writer still exists.
            _ = try recorded { _, _ in }
        }
    }
}
