import Foundation
import Testing

extension DebianPackageTests {
    /// Tests that the programs use the plugins and presets of the packages, and write only to the current folder.
    @Test func programsPlayWithoutTheSources() async throws {
        try await unpack()
        let before = try files()
        let folder = Folders.fresh("user")
        let played = try await run("play", ["snapshot", "preset=Worn tape"], in: folder)
        #expect(played.succeeded, "\(played.output)")
        #expect(try Data(contentsOf: folder.appending(path: "before-after.png")).count > 100_000)
        let clip = root.appending(path: "\(Self.share)/pipelines/media/bigbuckbunny.webm").path(percentEncoded: false)
        let planned = try await run("batch", ["--dry-run", clip, "film.mkv"], in: folder)
        #expect(planned.succeeded && planned.output.contains("132 frames"), "\(planned.output)")
        let measured = try await run("dashboard", "videotestsrc num-buffers=9 ! fakesink".words, in: folder)
        #expect(measured.succeeded && measured.output.contains("http://127.0.0.1:"), "\(measured.output)")
        let refused = try await run("camera-lock", ["device=/dev/null"], in: folder)
        #expect(refused.status == 1 && !refused.output.contains("Traceback"), "\(refused.output)")
        #expect(try files() == before)
    }

    /// Tests that a man page contains the help text of a program with the name of the installed command.
    @Test func commandsHaveAPageOfTheManual() async throws {
        try await unpack()
        let commands = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "usr/bin").path(percentEncoded: false))
        #expect(commands.count == 6)
        for command in commands {
            let page = root.appending(path: "usr/share/man/man1/\(command).1.gz").path(percentEncoded: false)
            let text = try await succeed("zcat", [page]).replacing("\\-", with: "-")
            #expect(text.contains("  \(command) ") || text.contains("usage: \(command) "), "\(text)")
            #expect(!text.contains("pipelines/"), "\(text)")
        }
    }

    @Test func pagesNameOnlyWhatThePackagesContain() async throws {
        try await unpack()
        let pages = try MarkdownPage.pages(in: root.appending(path: "usr/share"))
        #expect(pages.count > 15)
        for page in pages {
            #expect(try page.brokenLinks() == [], "\(page.file.path)")
            for name in page.text.matches(of: /\/usr\/share\/[\w\/.-]*\w/) {
                let file = root.appending(path: String(name.0)).path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: file), "\(page.file.path): \(name.0)")
            }
            for name in page.text.matches(of: /(?m)^(?:swiftvideo|sendspin)-[a-z-]+(?= |$)/) {
                let file = root.appending(path: "usr/bin/\(name.0)").path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: file), "\(page.file.path): \(name.0)")
            }
            let names = page.text.matches(of: /(?m)(?:^|[^\/\w])pipelines\/\w+/).map { String($0.0) }
            #expect(names == [], "\(page.file.path)")
        }
    }

    // MARK: Details

    private static let share = "usr/share/gst-plugins-swift"

    private func unpack() async throws {
        for package in Self.all {
            try await succeed("dpkg-deb", ["-x", make(package), root.path(percentEncoded: false)])
        }
    }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false)).sorted()
    }

    /// Runs a program in the unpacked packages, not a command in `usr/bin`, which would start the installed program.
    private func run(_ program: String, _ arguments: [String], in folder: URL) async throws -> Command {
        let plugin = try #require(try files().first { $0.hasSuffix("libgstswiftvideo.so") })
        return try await Command.run(
            root.appending(path: "\(Self.share)/pipelines/\(program)"), arguments, in: folder,
            environment: [
                "GST_PLUGIN_PATH": root.appending(path: plugin).deletingLastPathComponent().path(percentEncoded: false),
                "GST_PRESET_PATH": root.appending(path: "usr/share/gstreamer-1.0/presets").path(percentEncoded: false),
                "GST_REGISTRY": folder.appending(path: "registry").path(percentEncoded: false),
                "PYTHONDONTWRITEBYTECODE": "1",
            ])
    }
}
