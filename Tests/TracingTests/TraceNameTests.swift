import Testing

@testable import TestSupport
@testable import Tracing

@Suite struct TraceNameTests {
    @Test(arguments: [
        "", "\"quoted\\\"", "line\nfeed\ttab\u{1}\u{7F}\u{1B}[31m", "größer 🎞️", "\u{202E}right to left", "</script>",
        String(repeating: "x", count: 127), String(repeating: "x", count: 200),
    ])
    func hostileTextArrivesAsItIs(text: String) throws {
        var drawn = DrawnTrace()
        drawn.instant(TraceName(registering: text), at: 110)
        drawn.name(1, text)
        let trace = try DecodedTrace(drawn.finished())
        let event = try #require(trace.events.first)
        #expect(event.name == text)
        #expect(trace.tracks[event.track]?.name == text)
    }

    @Test func textIsCutBetweenCharactersAndAZeroBecomesItsSymbol() {
        let long = TraceName(registering: String(repeating: "é", count: 150))
        #expect(TraceName.text(at: long.address) == String(repeating: "é", count: 100))
        #expect(TraceName.text(at: TraceName(registering: "a\0b").address) == "a\u{2400}b")
    }

    @Test func equalTextsShareAnEntry() {
        #expect(TraceName(registering: "queue17").address == TraceName(registering: "queue" + "17").address)
        #expect(TraceName(registering: "queue17").address != TraceName(registering: "queue18").address)
    }

    @Test func aNameOfAThreadThatEndsInsideACharacterIsRepaired() {
        var bytes = Array("fourteen bytesé".utf8.prefix(15)) + [0]
        let name = bytes.withUnsafeMutableBytes { ThreadName(words: $0.load(as: (UInt64, UInt64).self)) }
        #expect(name.text == "fourteen bytes\u{FFFD}")
    }

    @Test(arguments: [0, 1, (1 << 54) - 1] as [UInt64]) func aFrameIsItsRunningTime(time: UInt64) {
        let frame = TraceFrame(runningTime: time)
        #expect(frame.runningTime == time)
        #expect(frame != .none)
        #expect(frame != TraceFrame(runningTime: time ^ 1))
    }

    @Test func noRunningTimeIsNoFrame() {
        #expect(TraceFrame(runningTime: .max) == .none)
        #expect(TraceFrame.none.runningTime == .max)
        // Numbers that are too large result in another frame, but not in a trap.
        #expect(TraceFrame(runningTime: .max - 1) != .none)
    }
}
