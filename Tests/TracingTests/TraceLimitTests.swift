import Testing

@testable import TestSupport
@testable import Tracing

@Suite struct TraceLimitTests {
    /// Adds nested spans and slices; in every third round, the spans have no ends.
    private static func fill(_ drawn: inout DrawnTrace, rounds: UInt64, depth: UInt64) {
        for round in 0..<rounds {
            let time = 1000 + (round * 1000)
            for level in 1...depth { drawn.begin("span", level: level, at: time + level) }
            drawn.slice("slice", time..<(time + 500), frame: TraceFrame(runningTime: round))
            drawn.writeSlices()
            if round % 3 == 0 { continue }
            for level in 1...depth { drawn.end(level: depth + 1 - level, at: time + 600 + level) }
        }
    }

    @Test(arguments: [1, 7, 64] as [UInt64])
    func endsAtTheLimitWithItsSpansEndedAndAMark(depth: UInt64) throws {
        var drawn = DrawnTrace(maximumBytes: 65536)
        Self.fill(&drawn, rounds: 3000, depth: depth)
        #expect(drawn.encoder.isFinished)
        let bytes = drawn.finished()
        #expect(bytes.count <= 65536)
        #expect(bytes.count > 55000)
        let trace = try DecodedTrace(bytes)
        _ = try trace.slices()
        #expect(trace.events.last?.name == "trace.end")
        #expect(trace.events.last?.notes["reason"] == "max-bytes reached")
    }

    @Test func aTraceBelowItsLimitSaysThatItWasStopped() throws {
        var drawn = DrawnTrace(maximumBytes: 65536)
        Self.fill(&drawn, rounds: 3, depth: 2)
        #expect(!drawn.encoder.isFinished)
        let bytes = drawn.finished()
        #expect(try DecodedTrace(bytes).events.last?.notes["reason"] == "stopped")
        #expect(drawn.finished().isEmpty)
    }

    @Test func aFileCutBetweenAnyTwoPacketsIsReadable() throws {
        var drawn = DrawnTrace()
        Self.fill(&drawn, rounds: 10, depth: 3)
        let bytes = drawn.finished()
        var (place, events) = (0, 0)
        for (_, packet) in try ProtobufReader.fields(bytes) {
            let length = packet.bytes?.count ?? 0
            place += 1 + (length < 128 ? 1 : 2) + length
            let trace = try DecodedTrace(Array(bytes[..<place]))
            #expect(trace.events.count - events <= 1)
            events = trace.events.count
        }
        #expect(place == bytes.count)
        #expect(events > 60)
    }
}
