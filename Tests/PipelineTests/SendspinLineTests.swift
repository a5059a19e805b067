import Foundation
import SendspinSupport
import Testing

/// Parses the launch lines with a player or a source in the documentation, and records from a fake server.
@Suite(.serialized) struct SendspinLineTests {
    let folder = Folders.fresh("sendspin lines")
    let environment = [
        "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false)
    ]

    @Test(arguments: [
        ("docs/elements/sendspinplay.md", 2), ("docs/elements/sendspinsrc.md", 2), ("docs/elements/sendspinsink.md", 4),
    ])
    func linesWithAPlayerOrASourceParse(page: String, least: Int) async throws {
        var parsed = 0
        for line in try lines(page) where line.contains("sendspinplay") || line.contains("sendspinsink") {
            let program = """
                import sys, gi
                gi.require_version("Gst", "1.0")
                from gi.repository import Gst
                Gst.init(None)
                Gst.parse_launchv(sys.argv[1:])
                """
            try program.write(to: folder.appending(path: "parse.py"), atomically: true, encoding: .utf8)
            let command = try await run(
                line.replacing("gst-launch-1.0 ", with: "exec /usr/bin/python3 parse.py ")
                    .replacing(" -m ", with: " "))
            #expect(command.succeeded && command.output.isEmpty, "\(line): \(command.output)")
            parsed += 1
        }
        #expect(parsed >= least)
    }

    @Test func recordingOfThePipelineContainsAllSamples() async throws {
        let file = try #require(try await Recordings.shared.play("sendspin-record").file)
        let indices = try await indices(of: file, "flacparse ! flacdec")
        #expect(indices == Array(0..<96_000))
    }

    /// `filesink` empties its file when it receives a flush, so the source must not send a flush.
    @Test func recordingOutlivesTheEndOfAStream() async throws {
        let music = try MusicServer(seconds: 1, streams: 2)
        let command = try await run(
            "exec gst-launch-1.0 -q sendspinsrc uri=\(music.uri) codecs=pcm flush=false "
                + "! audiobuffersplit output-buffer-duration=1/40 ! identity eos-after=60 ! wavenc ! filesink location=two.wav"
        )
        #expect(command.succeeded, "\(command.output)")
        let indices = try await indices(of: folder.appending(path: "two.wav"), "wavparse")
        // The splitter of GStreamer 1.28 converts the gap with which the source prerolls to silence, which has index 0.
        let heard = indices.filter { $0 != 0 }
        // The splitter may push another buffer after the end.
        try #require(heard.count > 60_000)
        #expect(Array(heard.prefix(60_000)) == Array(1..<48_000) + Array(1..<12_002))
    }

    // MARK: Details

    /// Index in the ramp for each frame of a recording; -1 for a frame that is not intact.
    private func indices(of file: URL, _ decoder: String) async throws -> [Int64] {
        let command = try await Command.run(
            named: "gst-launch-1.0",
            ["-q", "filesrc", "location=\(file.path(percentEncoded: false))", "!"] + decoder.words
                + ["!", "filesink", "location=\(folder.appending(path: "pcm").path(percentEncoded: false))"])
        #expect(command.succeeded, "\(command.output)")
        return RampSignal.indices(pcm: try Data(contentsOf: folder.appending(path: "pcm")), bitDepth: 16)
            .map { $0 ?? -1 }
    }

    private func lines(_ page: String) throws -> [String] {
        try String(contentsOf: Folders.package.appending(path: page), encoding: .utf8)
            .matches(of: /(?s)```sh\n(.*?)```/).flatMap { $0.1.split(separator: "\n").map(String.init) }
            .filter { $0.hasPrefix("gst-launch-1.0") && !$0.contains("udpsrc") }
    }

    private func run(_ script: String) async throws -> Command {
        try await Command.run(
            URL(filePath: "/bin/sh"), ["-c", script], in: folder, environment: environment)
    }
}
