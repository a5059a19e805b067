import Foundation
import Testing

/// Tests `check-elements`, which requires that the scripts install all elements that the repository uses.
@Suite(.serialized) struct ElementPackageTests {
    let folder = Folders.fresh("repository")
    /// The names of the elements are divided, because `check-elements` also reads this file.
    let window = "gtk" + "sink", scene = "qmlgl" + "sink", unknown = "nosuch" + "element"

    @Test func reportsElementsOfPackagesThatAreNotInstalled() async throws {
        try write("videotestsrc ! shmsink socket-path=x", to: "pipelines/shared.launch")
        try write("play(\"videotestsrc ! \(window)\")", to: "Tests/SinkTests/WindowTests.swift")
        try write("let factory = \"\(scene)\"", to: "Tests/SinkTests/FactoryTests.swift")
        try write("videotestsrc ! \(unknown) ! fakesink", to: "Tests/hosts/run")
        try write("gst-launch-1.0 videotestsrc ! x264enc ! fakesink", to: "README.md")
        let found = try await check()
        #expect(!found.succeeded)
        for words in [
            "pipelines/shared.launch uses shmsink of gstreamer1.0-plugins-bad, which",
            "Tests/SinkTests/WindowTests.swift uses \(window)", "Tests/SinkTests/FactoryTests.swift uses \(scene)",
            "Tests/hosts/run uses \(unknown), which no package",
            "README.md uses x264enc and does not name its package gstreamer1.0-plugins-ugly",
        ] {
            #expect(found.output.contains(words), "\(found.output)")
        }
        #expect(found.output.split(separator: "\n").count == 5, "\(found.output)")
    }

    @Test func acceptsElementsOfInstalledPackages() async throws {
        try write("videotestsrc ! ntscfilter ! queue ! vp8enc ! webmmux ! fakesink", to: "pipelines/tape.launch")
        try write(#"play("videotestsrc ! x264enc ! h264parse ! shmsink")"#, to: "Tests/SinkTests/ShmTests.swift")
        let line = "videotestsrc ! gaussianblur ! fakesink"
        try write("gaussianblur is in gstreamer1.0-plugins-bad:\n\(line)", to: "docs/a.md")
        let found = try await check()
        #expect(found.succeeded && found.output.isEmpty, "\(found.output)")
    }

    private func check() async throws -> Command {
        try await Command.run(
            Folders.package.appending(path: "plugin-build/check-elements"), [folder.path(percentEncoded: false)])
    }

    private func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
