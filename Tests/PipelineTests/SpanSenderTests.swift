import Foundation
import Testing

/// Tests the use of the span API of GStreamer 1.30, for which `Tests/hosts/span-stand-in.c` is a stand-in.
@Suite(.serialized) struct SpanSenderTests {
    private static let line = """
        videotestsrc num-buffers=100 ! video/x-raw,width=64,height=48 \
        ! backpressurequeue max-size-buffers=1 max-size-bytes=0 max-size-time=0 ! ntscfilter \
        ! thermalcaps forced-level=serious ! identity sleep-time=2000 ! fakesink
        """

    @Test func aTracerReceivesTheSpansAndEventsOfTheElements() async throws {
        let lines = try await Self.spans(tracers: "factories")
        let begins = lines.filter { $0.first == "begin" }
        let ends = lines.filter { $0.first == "end" }
        #expect(begins.count == ends.count && Set(begins.map { $0[1] }) == Set(ends.map { $0[1] }))
        let names = Dictionary(grouping: begins, by: { $0[2] })
        func times(_ name: String) -> [Int?] { (names[name] ?? []).map { Int($0[3].dropFirst("running-time=".count)) } }
        let processed = times("ntsc.process")
        #expect(times("queue.push") == processed && processed.count == 100)
        // The rate is 30 frames per second, or lower after a request of `thermalcaps`, so 100 frames take 3.3 s.
        #expect(try processed.first == 0 && #require(processed.last ?? nil) >= 3_300_000_000)
        #expect(zip(processed, processed.dropFirst()).allSatisfy { ($0 ?? -1) < ($1 ?? -1) })
        let waits = try #require(names["queue.wait"])
        #expect(waits.count > 10 && !waits.contains { $0[3] == "running-time=-1" })
        let steps = lines.filter { $0.first == "event" && $0[2] == "thermal.step" }
        #expect(!steps.isEmpty && steps.allSatisfy { $0[3...] == ["running-time=-1", "value=3"] })
    }

    @Test func eachNameIsRegisteredOnce() async throws {
        let formats = try await Self.spans(tracers: "factories").filter { $0.first == "format" }.map { $0[1] }
        #expect(formats.count > 3 && Set(formats).count == formats.count)
    }

    @Test func nothingIsSentWithoutATracer() async throws {
        #expect(try await Self.spans(tracers: "") == [["message", "eos"]])
    }

    @Test(arguments: [("perfmonitor-tracer(report=none)", false), ("perfmonitor-tracer(report=none);factories", true)])
    func theTracerOfThePluginAloneReceivesNothing(tracers: String, isReceived: Bool) async throws {
        let lines = try await Self.spans(tracers: tracers)
        #expect(lines.contains { $0.first == "begin" } == isReceived)
    }

    private static let program = Task { try await Command.host("span-stand-in") }

    /// Plays the line with `tracers`, and returns the words of each line that the stand-in prints.
    private static func spans(tracers: String) async throws -> [[String]] {
        let plugin = Folders.package.appending(path: "out/plugin").path(percentEncoded: false)
        let run = try await Command.run(
            program.value, [line], environment: ["GST_TRACERS": tracers, "GST_PLUGIN_PATH": plugin])
        #expect(run.succeeded)
        let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.contains(["message", "eos"]))
        return lines
    }
}
