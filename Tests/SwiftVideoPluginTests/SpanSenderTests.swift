import Foundation
import Testing

/// The span API of GStreamer 1.30, of which SpanProbe has a stand-in; `Tests/hosts/spans.c` uses the real one.
@Suite struct SpanSenderTests {
    private static let line = """
        videotestsrc num-buffers=100 ! video/x-raw,width=64,height=48 \
        ! backpressurequeue max-size-buffers=1 max-size-bytes=0 max-size-time=0 ! ntscfilter \
        ! thermalcaps forced-level=serious ! identity sleep-time=2000 ! fakesink
        """

    @Test func aTracerReceivesTheSpansAndEventsOfTheElements() throws {
        let lines = try Self.probe(tracers: "factories")
        let begins = lines.filter { $0.first == "begin" }
        let ends = lines.filter { $0.first == "end" }
        #expect(begins.count == ends.count && Set(begins.map { $0[1] }) == Set(ends.map { $0[1] }))
        let names = Dictionary(grouping: begins, by: { $0[2] })
        func times(_ name: String) -> [Int?] { (names[name] ?? []).map { Int($0[3].dropFirst("running-time=".count)) } }
        let processed = times("ntsc.process")
        #expect(times("queue.push") == processed && processed.count == 100)
        // 30 frames per second, or fewer after the request of `thermalcaps`.
        #expect(try processed.first == 0 && #require(processed.last ?? nil) >= 3_300_000_000)
        #expect(zip(processed, processed.dropFirst()).allSatisfy { ($0 ?? -1) < ($1 ?? -1) })
        let waits = try #require(names["queue.wait"])
        #expect(waits.count > 10 && !waits.contains { $0[3] == "running-time=-1" })
        let steps = lines.filter { $0.first == "event" && $0[2] == "thermal.step" }
        #expect(!steps.isEmpty && steps.allSatisfy { $0[3...] == ["running-time=-1", "value=3"] })
    }

    @Test func eachNameIsRegisteredOnce() throws {
        let formats = try Self.probe(tracers: "factories").filter { $0.first == "format" }.map { $0[1] }
        #expect(formats.count > 3 && Set(formats).count == formats.count)
    }

    @Test func nothingIsSentWithoutATracer() throws { #expect(try Self.probe(tracers: "") == [["message", "eos"]]) }

    /// With the plugin of `plugin-build/build`, because a tracer is created before a process registers elements.
    @Test(arguments: [("perfmonitor-tracer(report=none)", false), ("perfmonitor-tracer(report=none);factories", true)])
    func theTracerOfThePluginAloneReceivesNothing(tracers: String, isReceived: Bool) throws {
        let plugin = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../out/plugin")
        let lines = try Self.probe(tracers: tracers, plugin: plugin.standardizedFileURL.path)
        #expect(lines.contains { $0.first == "begin" } == isReceived)
    }

    /// The words of each line that the stand-in prints.
    private static func probe(tracers: String, plugin: String = "") throws -> [[String]] {
        let probe = Process()
        // SwiftPM builds it into the folder of the tests, before them.
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "SpanProbe")
        probe.arguments = [line]
        probe.environment = ProcessInfo.processInfo.environment.merging([
            "GST_TRACERS": tracers, "GST_PLUGIN_PATH": plugin,
        ]) { $1 }
        let output = Pipe()
        probe.standardOutput = output
        probe.standardError = FileHandle.nullDevice
        try probe.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        probe.waitUntilExit()
        #expect(probe.terminationStatus == 0)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.contains(["message", "eos"]))
        return lines
    }
}
