import Foundation
import Testing

/// Tests the table that `perfmonitor` prints, for each way in which a program ends.
@Suite(.serialized) struct MonitorReportTests {
    private static let endless =
        "videotestsrc name=camera is-live=true ! queue ! fakesink perfmonitor report=live"

    /// The arguments are the options of `gst-launch-1.0`, and the text that it prints after Ctrl-C.
    @Test(arguments: [
        ([], "Interrupt: Stopping pipeline"), (["-e"], "EOS on shutdown enabled"),
        (["-e", "-m"], "EOS received - stopping pipeline"),
    ])
    func interruptedPipelinePrintsTheTableOnce(options: [String], answer: String) async throws {
        let command = try await launch(options + Self.endless.words, interruptedAfter: "00:01")
        #expect(command.output.contains(answer), "\(command.output)")
        try expectTable(in: command)
    }

    @Test func tracedPipelineThatIsInterruptedPrintsTheTableOnce() async throws {
        let command = try await launch(
            "videotestsrc name=camera is-live=true ! queue ! fakesink".words, interruptedAfter: "00:01",
            environment: ["GST_TRACERS": "perfmonitor-tracer(report=live)"])
        try expectTable(in: command)
    }

    @Test func endOfTheStreamPrintsTheTableOnce() async throws {
        let command = try await launch("videotestsrc name=camera num-buffers=30 ! fakesink perfmonitor".words)
        #expect(command.succeeded)
        try expectTable(in: command)
    }

    @Test func errorPrintsTheTableOnce() async throws {
        let command = try await launch(
            "videotestsrc name=camera ! identity error-after=20 ! fakesink perfmonitor".words)
        #expect(!command.succeeded && command.output.contains("ERROR: from element"), "\(command.output)")
        try expectTable(in: command)
    }

    @Test func liveLinesComeOnceASecondAndOnlyIfAskedFor() async throws {
        for (report, lines) in [("live", 2...4), ("end", 0...0), ("none", 0...0)] {
            let command = try await launch(
                "videotestsrc name=camera is-live=true num-buffers=91 ! fakesink perfmonitor report=\(report)".words
            )
            let live = command.output.split(separator: "\n").filter { $0.contains(/^00:0[0-9] +[0-9.]+\/s/) }
            #expect(lines.contains(live.count), "\(report): \(command.output)")
            #expect(command.output.contains(/\ncamera +–/) == (report != "none"), "\(command.output)")
        }
    }

    private func expectTable(in command: Command) throws {
        let rows = command.output.split(separator: "\n").filter { $0.hasPrefix("camera ") }
        #expect(rows.count == 1, "\(command.output)")
        #expect(try #require(rows.first).contains(/camera +– +[1-9][0-9]* +–/))
        #expect(command.output.ranges(of: "\npipeline ").count == 1)
    }

    private func launch(
        _ arguments: [String], interruptedAfter phrase: String? = nil, environment: [String: String] = [:]
    ) async throws -> Command {
        let plugin = Folders.package.appending(path: "out/plugin").path(percentEncoded: false)
        return try await Command.run(
            URL(filePath: "/usr/bin/env"), ["gst-launch-1.0"] + arguments,
            environment: environment.merging(["GST_PLUGIN_PATH": plugin]) { $1 },
            interruptedAfter: phrase)
    }
}
