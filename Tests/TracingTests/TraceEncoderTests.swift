import Testing

@testable import TestSupport
@testable import Tracing

@Suite struct TraceEncoderTests {
    @Test func describesTheProcessItsClocksAndItsThreads() throws {
        var drawn = DrawnTrace()
        drawn.instant(TraceName("a"), at: 101, of: 7)
        let trace = try DecodedTrace(drawn.finished())
        #expect(trace.clocks == [[3: 100, 6: 200, 1: 300]])
        let process = try #require(trace.track("drawn"))
        #expect(trace.tracks[process] == DecodedTrace.Track(name: "drawn", process: 42))
        let thread = try #require(trace.track("thread 7"))
        #expect(trace.tracks[thread] == DecodedTrace.Track(name: "thread 7", process: 42, thread: 7))
        #expect(trace.events("a").map(\.track) == [thread])
    }

    @Test func spansNestOnTheTrackOfTheirThread() throws {
        var drawn = DrawnTrace()
        drawn.begin("outer", level: 1, at: 110)
        drawn.begin("inner", level: 2, at: 120)
        drawn.end(level: 2, at: 130)
        drawn.begin("inner", level: 2, at: 140)
        drawn.end(level: 2, at: 150)
        drawn.end(level: 1, at: 160)
        let trace = try DecodedTrace(drawn.finished())
        let track = try #require(trace.track("thread 1"))
        #expect(
            try trace.slices() == [
                .init(track: track, name: "inner", start: 120, end: 130, depth: 1),
                .init(track: track, name: "inner", start: 140, end: 150, depth: 1),
                .init(track: track, name: "outer", start: 110, end: 160, depth: 0),
            ])
    }

    @Test func aSpanWithoutFrameHasThatOfTheSpanAroundIt() throws {
        var drawn = DrawnTrace()
        let frame = TraceFrame(runningTime: 40)
        drawn.begin("push", level: 1, at: 110, frame: frame)
        drawn.begin("acquire", level: 2, at: 120)
        drawn.begin("other", level: 3, at: 130, frame: TraceFrame(runningTime: 80))
        drawn.end(level: 3, at: 140)
        drawn.begin("grow", level: 3, at: 150)
        drawn.end(level: 1, at: 160)
        drawn.begin("alone", level: 1, at: 170)
        let trace = try DecodedTrace(drawn.finished())
        let flows = ["push", "acquire", "other", "grow", "alone"].map { trace.events($0).map(\.flows) }
        let other = TraceFrame(runningTime: 80).word
        #expect(flows == [[[frame.word]], [[frame.word]], [[other]], [[frame.word]], [[]]])
    }

    @Test func aSpanThatWasNeverEndedEndsWithTheOneAroundIt() throws {
        var drawn = DrawnTrace()
        drawn.begin("outer", level: 1, at: 110)
        drawn.begin("forgotten", level: 2, at: 120)
        drawn.end(level: 1, at: 130)
        drawn.begin("next", level: 1, at: 140)
        let slices = try DecodedTrace(drawn.finished(at: 200)).slices()
        #expect(slices.map(\.name) == ["forgotten", "outer", "next"])
        #expect(slices.map(\.end) == [130, 130, 200])
        #expect(slices.map(\.depth) == [1, 0, 0])
    }

    @Test func anEndWithoutBeginIsLeftOut() throws {
        var drawn = DrawnTrace()
        drawn.end(level: 1, at: 110)
        drawn.instant(TraceName("a"), at: 120)
        #expect(try DecodedTrace(drawn.finished()).slices().isEmpty)
    }

    @Test func overlappingSlicesOfOneNameLieOnSeparateLines() throws {
        var drawn = DrawnTrace()
        // Two threads add slices, which are written in two parts, each in the order of the ends of the slices.
        drawn.slice("queue", 115..<125, of: 2)
        drawn.slice("queue", 110..<130, of: 1)
        drawn.slice("queue", 130..<140, of: 1)
        drawn.writeSlices()
        drawn.slice("queue", 112..<150, of: 2)
        drawn.slice("other", 90..<150, of: 2)
        let trace = try DecodedTrace(drawn.finished())
        let slices = try trace.slices()
        #expect(slices.count == 5)
        #expect(slices.allSatisfy { $0.depth == 0 })
        let tracks = Set(slices.filter { $0.name == "queue" }.map(\.track))
        #expect(tracks.count == 3)
        #expect(
            tracks.allSatisfy { trace.tracks[$0]?.name == "queue" && trace.tracks[$0]?.parent == trace.track("drawn") })
        #expect(slices.contains { $0.name == "other" && $0.start == 90 })
    }

    @Test func slicesBeyondTheLinesOfANameAreCountedAsLost() throws {
        var drawn = DrawnTrace()
        for start in 0..<70 as Range<UInt64> { drawn.slice("queue", (110 + start)..<500) }
        let trace = try DecodedTrace(drawn.finished())
        #expect(try trace.slices().count == 64)
        #expect(trace.events("trace.lost").map { $0.notes["records"] } == ["6"])
    }

    @Test func aSliceOfTheWholeRangeOfTimesIsReadable() throws {
        var drawn = DrawnTrace()
        drawn.add(TraceRecord(.slice, name: TraceName("a").address, time: 5, value: .max, frame: 0, session: 1), 1)
        drawn.add(TraceRecord(.slice, name: TraceName("a").address, time: .max, value: 0, frame: 0, session: 1), 1)
        #expect(try DecodedTrace(drawn.finished()).slices().count == 2)
    }

    @Test func countersHaveTracksAndKeepSigns() throws {
        var drawn = DrawnTrace()
        for (thread, value) in [(1, 3), (2, -1), (1, Int64.min)] as [(Int32, Int64)] {
            drawn.add(
                TraceRecord(
                    .counter, name: TraceName("pool.bytes").address, time: 110, value: UInt64(bitPattern: value),
                    frame: 0, session: 1), thread)
        }
        let trace = try DecodedTrace(drawn.finished())
        let track = try #require(trace.track("pool.bytes"))
        #expect(trace.tracks[track]?.unit == 2)
        #expect(trace.tracks[track]?.parent == trace.track("drawn"))
        #expect(trace.events.filter { $0.track == track }.map(\.counterValue) == [3, -1, .min])
    }

    @Test func instantsCarryTheirValueOrReason() throws {
        var drawn = DrawnTrace()
        let name = TraceName("thermal.step").address
        drawn.add(
            TraceRecord(.instantWithValue, name: name, time: 110, value: UInt64(bitPattern: -2), frame: 0, session: 1),
            1)
        let reason = UInt64(TraceName("too late").address)
        drawn.add(TraceRecord(.instantWithReason, name: name, time: 120, value: reason, frame: 0, session: 1), 1)
        let notes = try DecodedTrace(drawn.finished()).events("thermal.step").map(\.notes)
        #expect(notes == [["value": "-2"], ["reason": "too late"]])
    }

    @Test func aFrameIsJoinedOverThreadsUntilItsLastMark() throws {
        var drawn = DrawnTrace()
        let frames = (0..<3 as Range<UInt64>).map { TraceFrame(runningTime: $0 * 40) }
        for (index, frame) in frames.enumerated() {
            let time = 110 + (UInt64(index) * 100)
            drawn.begin("source", level: 1, at: time, of: 1, frame: frame)
            drawn.end(level: 1, at: time + 10, of: 1)
            drawn.slice("queue", (time + 10)..<(time + 20), of: 2, frame: frame)
            drawn.instant(TraceName("sink"), at: time + 30, of: 3, frame: frame, last: true)
        }
        let trace = try DecodedTrace(drawn.finished())
        let flows = try trace.endedFlows()
        #expect(flows.count == 3)
        #expect(flows.values.allSatisfy { $0 == ["source", "queue", "sink"] })
        #expect(trace.events("queue").map { $0.notes["running-time"] } == ["0", "40", "80"])
        #expect(Set(trace.events.filter { $0.flows != [] || $0.lastFlows != [] }.map(\.track)).count == 3)
    }

    @Test func lostRecordsAreMarkedOnTheirThread() throws {
        var drawn = DrawnTrace()
        drawn.instant(TraceName("a"), at: 110)
        drawn.lose(5, of: 1)
        drawn.lose(2, of: nil)
        let trace = try DecodedTrace(drawn.finished())
        let marks = trace.events("trace.lost")
        #expect(marks.map { $0.notes["records"] } == ["5", "2"])
        #expect(marks.map(\.track) == [trace.track("thread 1"), trace.track("drawn")])
        #expect(trace.events("trace.end").map { $0.notes } == [["reason": "stopped", "records": "7"]])
    }

    @Test func aThreadThatIsRenamedKeepsItsTrack() throws {
        var drawn = DrawnTrace()
        drawn.instant(TraceName("a"), at: 110)
        drawn.name(1, "queue0:src")
        drawn.instant(TraceName("a"), at: 120)
        let trace = try DecodedTrace(drawn.finished())
        let track = try #require(trace.track("queue0:src"))
        #expect(trace.track("thread 1") == nil)
        #expect(trace.events("a").map(\.track) == [track, track])
    }
}
