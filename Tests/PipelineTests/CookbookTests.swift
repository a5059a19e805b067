import Foundation
import Testing

/// Runs the launch lines and programs of docs/cookbook.md, and the launch lines of docs/raspberry-pi.md, with a test
/// pattern instead of the camera.
@Suite(.serialized) struct CookbookTests {
    let folder = Folders.fresh("cookbook")
    let environment = [
        "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
        "GST_PRESET_PATH": Folders.package.appending(path: "presets").path(percentEncoded: false),
    ]
    private static let python = URL(filePath: "/usr/bin/python3")
    /// Elements of optional packages, which may not be installed.
    private static let extra = [
        "x264enc", "h264parse", "avdec_h264", "mpegtsmux", "srtsink", "srtsrc", "alsasink", "interlace",
    ]
    /// Parses a pipeline without starting it.
    private static let parse = """
        import sys, gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
        Gst.init(None)
        Gst.parse_launchv(sys.argv[1:])
        """

    @Test func everyCookbookLineParses() async throws {
        let lines = try lines()
        #expect(lines.count >= 15)
        for line in lines where try await isInstalled(line) {
            let words = line.replacing("gst-launch-1.0 ", with: "exec /usr/bin/python3 parse.py ")
                .replacing(" -e ", with: " ").replacing(" -m ", with: " ")
            try Self.parse.write(to: folder.appending(path: "parse.py"), atomically: true, encoding: .utf8)
            let command = try await run(local(words))
            #expect(command.succeeded && command.output.isEmpty, "\(line): \(command.output)")
        }
    }

    /// Plays thirty frames with each line except the lines of receivers, which wait for a sender.
    @Test func cookbookLinesPlay() async throws {
        var played = 0
        for line in try lines()
        where !line.contains(/(udp|srt|rtsp)src|sendspin/) && !Self.extra.contains(where: line.contains) {
            let command = try await run(local(line))
            #expect(command.succeeded && !command.output.contains("WARNING"), "\(line): \(command.output)")
            played += 1
        }
        #expect(played >= 8)
    }

    /// Tests that the line for fields writes interlaced frames with pixels of 8:9.
    @Test func lineForFieldsMakesFieldsOfATape() async throws {
        let line = try #require(try lines().first { $0.contains("interlace") })
        guard try await isInstalled(line) else { return }
        let film = try await run(local(line).replacing("videorate", with: "identity eos-after=30 ! videorate"))
        #expect(film.succeeded && !film.output.contains("WARNING"), "\(film.output)")
        let caps = try await run("gst-launch-1.0 -v filesrc location=fields.mkv ! matroskademux ! h264parse ! fakesink")
        for part in [
            "width=(int)720", "height=(int)480", "pixel-aspect-ratio=(fraction)8/9", "framerate=(fraction)30000/1001",
            "interlace-mode=(string)interleaved",
        ] {
            #expect(caps.output.contains(part), "\(part): \(caps.output)")
        }
    }

    /// Plays thirty frames with each line for a board, with `x264enc` instead of the hardware's encoder.
    @Test func linesForBoardsPlay() async throws {
        let lines = try lines(of: "raspberry-pi")
        #expect(lines.count == 4)
        let pattern = "videotestsrc is-live=true num-buffers=30"
        for line in lines where try await isInstalled("x264enc h264parse") {
            let software = local(line).replacing("libcamerasrc", with: pattern)
                .replacing(/nvarguscamerasrc ! \S+ ! nvvidconv/, with: pattern)
                .replacing(/v4l2h264enc \S+ ! \S+/, with: "x264enc tune=zerolatency")
                .replacing(/nvvidconv ! \S+ ! nvv4l2h264enc \S+ \S+/, with: "x264enc tune=zerolatency")
            let command = try await run(software)
            #expect(command.succeeded && !command.output.contains("WARNING"), "\(software): \(command.output)")
        }
    }

    /// Tests that the line of the receiver outputs the frames that the line of the sender sends.
    @Test func rtpReceiverReceivesVideoOfSender() async throws {
        let lines = try lines()
        let sender = try #require(lines.first { $0.contains("rtpvp8pay") })
        let receiver = try #require(lines.first { $0.contains("udpsrc") && $0.contains("rtpvp8depay") })
        try await receive(
            from: local(sender).replacing("num-buffers=30", with: "num-buffers=1000")
                .replacing("port=5000", with: "port=15000"),
            by: local(receiver).replacing("port=5000", with: "port=15000"))
    }

    @Test func rtspClientReceivesVideoOfServer() async throws {
        let program = try #require(try programs().first { $0.contains("GstRtspServer") })
        guard try await hasNamespace("GstRtspServer") else { return }
        let server = program.replacing("v4l2src", with: "videotestsrc is-live=true").replacing(
            "8554", with: "18554")
        try server.write(to: folder.appending(path: "server.py"), atomically: true, encoding: .utf8)
        let client = try #require(try lines().first { $0.contains("rtspsrc") })
        try await receive(
            from: "/usr/bin/python3 server.py",
            by: local(client).replacing("8554", with: "18554").replacing("receiver:", with: "127.0.0.1:"))
    }

    @Test func pythonProgramsCompile() async throws {
        let programs = try programs()
        #expect(programs.count == 2)
        for program in programs {
            try program.write(to: folder.appending(path: "program.py"), atomically: true, encoding: .utf8)
            let command = try await Command.run(Self.python, ["-m", "py_compile", "program.py"], in: folder)
            #expect(command.succeeded, "\(command.output)")
        }
    }

    @Test func readmeLinksToCookbookAndQueuePage() throws {
        let readme = try String(contentsOf: Folders.package.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("(docs/cookbook.md)") && readme.contains("(docs/elements/backpressurequeue.md)"))
    }

    // MARK: Details

    /// Starts `sender`, runs `receiver` for thirty frames, and ends the sender.
    private func receive(from sender: String, by receiver: String) async throws {
        let counted = receiver.replacing("fakesink", with: "identity eos-after=30 ! fakesink")
        // While the server is not ready, the client fails at once, so the script starts the client again.
        let command = try await run(
            """
            \(sender) >sender.log 2>&1 & sender=$!
            trap 'kill $sender' EXIT
            end=$(($(date +%s) + 30))
            while [ $(date +%s) -lt $end ]; do
                if timeout 20 \(counted); then exit 0; fi
            done
            cat sender.log
            exit 1
            """)
        #expect(command.succeeded, "\(command.output)")
    }

    private func run(_ script: String) async throws -> Command {
        try await Command.run(
            URL(filePath: "/bin/sh"), ["-c", script], in: folder, environment: environment)
    }

    private func page(_ name: String = "cookbook") throws -> String {
        try String(contentsOf: Folders.package.appending(path: "docs/\(name).md"), encoding: .utf8)
    }

    private func lines(of name: String = "cookbook") throws -> [String] {
        try page(name).matches(of: /(?s)```sh\n(.*?)```/).flatMap { $0.1.split(separator: "\n").map(String.init) }
    }

    private func programs() throws -> [String] {
        try page().matches(of: /(?s)```python\n(.*?)```/).map { String($0.1) }
    }

    /// Replaces camera, microphone, display and remote host in a line.
    private func local(_ line: String) -> String {
        let clip = Folders.package.appending(path: "pipelines/media/bigbuckbunny.webm")
        return line.replacing("v4l2src ! image/jpeg", with: "videotestsrc is-live=true num-buffers=30 ! jpegenc")
            .replacing("v4l2src", with: "videotestsrc is-live=true num-buffers=30")
            .replacing("autoaudiosrc", with: "audiotestsrc is-live=true num-buffers=45")
            .replacing("autovideosink", with: "fakesink sync=true")
            .replacing("host=receiver", with: "host=127.0.0.1")
            .replacing("location=holiday.webm", with: "location=\"\(clip.path(percentEncoded: false))\"")
    }

    private func isInstalled(_ line: String) async throws -> Bool {
        for element in Self.extra where line.contains(element) {
            guard try await Command.run(named: "gst-inspect-1.0", [element]).succeeded else { return false }
        }
        return true
    }

    private func hasNamespace(_ name: String) async throws -> Bool {
        try await Command.run(Self.python, ["-c", "import gi; gi.require_version('\(name)', '1.0')"]).succeeded
    }
}
