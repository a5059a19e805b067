import Foundation
import Testing

/// Runs the shell blocks of docs/elements.
@Suite(.serialized) struct ReferencePageTests {
    let folder = Folders.fresh("reference-pages")
    let environment = [
        "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
        "GST_PRESET_PATH": Folders.package.appending(path: "presets").path(percentEncoded: false),
    ]

    @Test(arguments: [
        ("backpressurequeue", 7), ("ntscfilter", 3), ("tapeaudio", 3), ("thermalcaps", 3), ("perfmonitor", 8),
    ])
    func launchLinesPlay(element: String, least: Int) async throws {
        // The test copies the files to names without spaces, because their original paths may contain spaces.
        for (name, file) in [
            ("holiday.mp4", "pipelines/media/bigbuckbunny.webm"),
            ("my-look.json", "Tests/Golden/presets/default.json"),
        ] {
            try FileManager.default.copyItem(
                at: Folders.package.appending(path: file), to: folder.appending(path: name))
        }
        let page = Folders.package.appending(path: "docs/elements/\(element).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        var played = 0
        for block in text.matches(of: /(?s)```sh\n(.*?)```/) {
            // Each line is a separate pipeline, except in a script that creates files for later lines.
            let isScript = block.1.contains("mkdir")
            for script in isScript ? [String(block.1)] : lines(block.1) {
                guard try await isInstalled(script) else { continue }
                let command = try await Command.run(
                    URL(filePath: "/bin/sh"), ["-ec", short(script)], in: folder, environment: environment)
                #expect(command.succeeded && !command.output.contains("WARNING"), "\(script): \(command.output)")
                played += 1
            }
        }
        #expect(played >= least)
    }

    private func lines(_ block: Substring) -> [String] {
        block.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// Replaces the camera, the display and the remote host in `script`, and limits the sources to thirty frames.
    private func short(_ script: String) -> String {
        script.replacing(#/ num-buffers=[0-9]+/#, with: "")
            .replacing(/videotestsrc|v4l2src/, with: "videotestsrc num-buffers=30")
            .replacing("audiotestsrc", with: "audiotestsrc num-buffers=50")
            .replacing("dashboard=:9100", with: "dashboard=:0")
            .replacing("pipelines/dashboard", with: "'\(Folders.pipelines.path(percentEncoded: false))/dashboard'")
            .replacing(/auto(video|audio)sink/, with: "fakesink").replacing("host=receiver", with: "host=127.0.0.1")
            .replacing("/tmp/fake", with: "fake")
    }

    /// Whether the encoders and muxers of `script` are installed, because plugin-build does not install all of them.
    private func isInstalled(_ script: String) async throws -> Bool {
        for encoder in ["x264enc", "mpegtsmux"] where script.contains(encoder) {
            guard try await Command.run(named: "gst-inspect-1.0", [encoder]).succeeded else { return false }
        }
        return true
    }
}
