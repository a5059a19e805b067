import Foundation
import Testing

extension EndToEndTests {
    /// Runs the examples of README.md and docs/applications.md.
    @Suite struct ReadmeTests {
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

        /// Plays thirty frames of each launch line, into a fakesink.
        @Test func launchLinesPlay() async throws {
            let lines = try block("sh", after: "gst-launch-1.0").split(separator: "\n")
                .filter { $0.hasPrefix("gst-launch-1.0") }
            #expect(lines.count == 3)
            for line in lines {
                let short = String(line).replacing(/videotestsrc|v4l2src/, with: "videotestsrc num-buffers=30")
                    .replacing("autovideosink", with: "fakesink")
                    .replacing("holiday.mp4", with: "pipelines/media/bigbuckbunny.webm")
                let command = try await Command.run(named: "sh", ["-c", short], environment: environment)
                #expect(command.succeeded && !command.output.contains("WARNING"), "\(line): \(command.output)")
            }
        }

        /// Plays the example of the queue for two seconds; it must post no warning.
        @Test func queueExampleEndsAtEOSOfItsSource() async throws {
            let script = try block("sh", after: "sleep-time").replacing("num-buffers=300", with: "num-buffers=60")
                .replacing("gst-launch-1.0", with: "gst-launch-1.0 -m")
            let command = try await Command.run(named: "sh", ["-c", script], environment: environment)
            #expect(command.succeeded && !command.output.contains("WARNING"), "\(command.output)")
            // Without an overload no frame is dropped.
            #expect(command.output.contains("(qos)"), "\(command.output)")
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

        /// The first code block of both pages in `language` that contains `phrase`.
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
}
