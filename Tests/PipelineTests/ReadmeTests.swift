import Foundation
import Testing

/// Runs the examples of README.md and docs/applications.md.
@Suite(.serialized) struct ReadmeTests {
    let folder = Folders.fresh("readme")
    let environment = [
        "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
        "GST_PRESET_PATH": Folders.package.appending(path: "presets").path(percentEncoded: false),
    ]

    @Test func pythonExampleWritesAVideo() async throws {
        try await write("python", to: "example.py")
        try await succeed(URL(filePath: "/usr/bin/python3"), ["example.py"])
        #expect(try await Film(of: folder.appending(path: "bars.webm")).frames.count == 90)
    }

    @Test func cExampleCompilesWithoutWarningsAndWritesAVideo() async throws {
        try await write("c", to: "example.c")
        let flags = try await Command.run(named: "pkg-config", ["--cflags", "--libs", "gstreamer-1.0"])
        let options = flags.output.split(whereSeparator: \.isWhitespace).map(String.init)
        try await succeed(
            URL(filePath: "/usr/bin/cc"), ["-Wall", "-Werror", "example.c", "-o", "example"] + options)
        try await succeed(folder.appending(path: "example"))
        #expect(try await Film(of: folder.appending(path: "bars.webm")).frames.count == 90)
    }

    @Test(arguments: ["python", "c"])
    func monitorExamplePrintsTheTableAndItsFigures(language: String) async throws {
        try await write(language, to: "monitor.\(language)", after: "perfmonitor")
        let command: Command
        if language == "c" {
            let flags = try await Command.run(named: "pkg-config", ["--cflags", "--libs", "gstreamer-1.0"])
            let options = flags.output.split(whereSeparator: \.isWhitespace).map(String.init)
            try await succeed(
                URL(filePath: "/usr/bin/cc"), ["-Wall", "-Werror", "monitor.c", "-o", "monitor"] + options)
            command = try await Command.run(folder.appending(path: "monitor"), in: folder, environment: environment)
        } else {
            command = try await Command.run(
                URL(filePath: "/usr/bin/python3"), ["monitor.python"], in: folder, environment: environment)
        }
        #expect(command.succeeded && command.output.contains("90 frames arrived"), "\(command.output)")
        #expect(command.output.contains(#/vp8enc0 +90 +90 +0 /#), "\(command.output)")
        #expect(!command.output.contains("CRITICAL"), "\(command.output)")
    }

    @Test(arguments: ["python", "text"])
    func curveExampleCoversThePictureWithSnow(language: String) async throws {
        try await write(
            language, to: "fade.launch", after: "snow-intensity\(language == "text" ? " 0=0" : "\", snow")")
        if language == "python" {
            try await succeed(URL(filePath: "/usr/bin/python3"), ["fade.launch"])
        } else {
            let play = Folders.pipelines.appending(path: "play")
            let command = try await Command.run(play, ["fade.launch", "out=fade.webm"], in: folder)
            #expect(command.succeeded, "\(command.output)")
        }
        let film = try await Film(of: folder.appending(path: "fade.webm"))
        #expect(film.frames.count == 60)
        let changes = [15, 30, 59].map { film.difference(frame: $0, from: film, frame: 0) }
        #expect(changes[0] > 2 && changes[1] > changes[0] && changes[2] > changes[1] + 5, "\(changes)")
    }

    static let pages = ["README.md", "docs/packages.md"]

    /// Plays thirty frames of each launch line with video to a `fakesink`.
    @Test(arguments: pages) func launchLinesPlay(name: String) async throws {
        let lines = try launchLines(name).filter { !$0.contains("sendspin") }
        #expect(lines.count >= (name == "README.md" ? 9 : 2))
        for line in lines {
            let short = line.replacing("v4l2src", with: "videotestsrc is-live=true")
                .replacing(#/num-buffers=\d+ /#, with: "")
                .replacing("videotestsrc", with: "videotestsrc num-buffers=30")
                .replacing("audiotestsrc", with: "audiotestsrc num-buffers=30")
                .replacing(/auto(video|audio)sink/, with: "fakesink")
            let command = try await run(short)
            #expect(command.succeeded && !command.output.contains("WARNING"), "\(line): \(command.output)")
        }
    }

    /// Tests that the lines with a player receive music from a fake server.
    @Test func linesWithAPlayerPlay() async throws {
        let lines = try launchLines("README.md").filter { $0.contains("sendspinplay") }
        #expect(lines.count == 2)
        for line in lines {
            let music = try MusicServer(seconds: nil)
            let player = "-m sendspinplay storage-folder=\"$PWD/keys\" audio-sink=fakesink"
            let command = try await Command.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c",
                    "exec "
                        + line.replacing(#/ uri=\S+/#, with: "")
                        .replacing("sendspinplay", with: "\(player) uri=\(music.uri)"),
                ],
                in: folder, environment: environment, interruptedAfter: "sendspin-stream-start")
            #expect(command.output.contains("sendspin-stream-start"), "\(line): \(command.output)")
        }
    }

    @Test func lineWithASourceRecords() async throws {
        let line = try #require(launchLines("README.md").first { $0.contains("sendspinsrc") })
        let music = try MusicServer(seconds: 1)
        let command = try await run(
            line.replacing(
                "uri=sendspin://127.0.0.1:8927",
                with: "storage-folder=\"$PWD/keys\" uri=\(music.uri) eos-on-stream-end=true"))
        let recording = try Data(contentsOf: folder.appending(path: "recorded.flac"))
        #expect(command.succeeded && recording.count > 1_000, "\(command.output)")
    }

    @Test func lineThatKeepsSoundInTimeReceivesIt() async throws {
        let line = try #require(launchLines("README.md").first { $0.contains("sendspinsync") })
        let receiver = line.replacing("udpsrc", with: "udpsrc num-buffers=50")
            .replacing("port=5004", with: "port=15004")
            .replacing("pulsesink provide-clock=false", with: "fakesink")
        let command = try await run(
            """
            gst-launch-1.0 -q audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! audioconvert \
                ! rtpL16pay pt=96 ! udpsink host=127.0.0.1 port=15004 & sender=$!
            trap 'kill $sender' EXIT
            \(receiver)
            """)
        #expect(command.succeeded && !command.output.contains("WARNING"), "\(command.output)")
    }

    /// Plays the example of the queue for two seconds, in which no element may post a warning.
    @Test func queueExampleEndsAtEOSOfItsSource() async throws {
        let line = try #require(launchLines("README.md").first { $0.contains("sleep-time=45000") })
        let command = try await run(
            line.replacing("num-buffers=300", with: "num-buffers=60")
                .replacing("gst-launch-1.0", with: "gst-launch-1.0 -m"))
        #expect(command.succeeded && !command.output.contains("WARNING"), "\(command.output)")
        // A QoS message shows that the queue was overloaded and dropped a frame.
        #expect(command.output.contains("(qos)"), "\(command.output)")
    }

    @Test func symptomsHaveTenRowsWithALine() throws {
        let table = try #require(readme().firstMatch(of: #/(?s)## Which element.*?\n## /#))
        #expect(
            table.0.matches(of: /(?m)^\| .*\]\(docs\/elements\/\w+\.md\).* \| `gst-launch-1\.0 .*` \|$/).count == 10
        )
    }

    @Test func noLinkOfThePagesIsBroken() throws {
        let docs = try MarkdownPage.pages(in: Folders.package.appending(path: "docs"))
        let others = try ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/README.md"].map {
            try MarkdownPage(Folders.package.appending(path: $0))
        }
        for page in docs + others {
            #expect(try page.brokenLinks() == [], "\(page.file.path)")
        }
    }

    @Test func everyFileInTheReadmeExists() async throws {
        let names = /(?:plugin-build|pipelines|presets|docs|Sources)\/[A-Za-z0-9\/.-]*\w/
        for name in try readme().matches(of: names) {
            let path = Folders.package.appending(path: String(name.output)).path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "\(name.output)")
        }
    }

    private func readme() throws -> String { try page("README.md") }

    private func page(_ name: String) throws -> String {
        try String(contentsOf: Folders.package.appending(path: name), encoding: .utf8)
    }

    private func launchLines(_ name: String) throws -> [String] {
        try MarkdownPage(Folders.package.appending(path: name)).launchLines
    }

    private func run(_ script: String) async throws -> Command {
        try await Command.run(URL(filePath: "/bin/sh"), ["-c", script], in: folder, environment: environment)
    }

    /// The first code block that is in `language` and contains `phrase`, in README.md or docs/applications.md.
    private func block(_ language: String, after phrase: String = "") throws -> String {
        let pages = try readme() + page("docs/applications.md")
        let blocks = pages.matches(of: /(?s)```(\w+)\n(.*?)```/)
        let block = try #require(blocks.first { $0.1 == language && (phrase.isEmpty || $0.2.contains(phrase)) })
        return String(block.2)
    }

    private func write(_ language: String, to name: String, after phrase: String = "") async throws {
        let text = try block(language, after: phrase)
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    private func succeed(_ program: URL, _ arguments: [String] = []) async throws {
        let command = try await Command.run(program, arguments, in: folder, environment: environment)
        #expect(command.succeeded && command.output.isEmpty, "\(command.output)")
    }
}
