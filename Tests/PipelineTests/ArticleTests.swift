import Foundation
import TestSupport
import Testing

/// Follows the articles of the Swift libraries from an empty folder.
@Suite(.serialized) struct ArticleTests {
    private static let folder = Folders.fresh("articles")

    private static func article(_ name: String) throws -> MarkdownPage {
        try MarkdownPage(Folders.package.appending(path: "Sources/\(name).md"))
    }

    /// Writes the files of the articles, runs their commands in one shell, and plays what they build.
    private static let followed = Task {
        // One scratch folder for both packages, so that the libraries are built once.
        let names = ["GStreamer/GStreamer.docc/WriteAnElement", "GStreamer/GStreamer.docc/OwnershipAndThreads"]
        let script =
            try names.map { try article($0).script } + [
                "cd ..\n", article("GStreamerApp/GStreamerApp.docc/WriteAnApplication").script,
            ]
        return try await Command.run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                "set -e\n"
                    + script.joined().replacing(
                        "/path/to/gst-plugins-swift", with: Folders.package.path(percentEncoded: false)
                    )
                    .replacing("swift build", with: "nice swift build --scratch-path ../scratch")
                    .replacing(".build/", with: "../scratch/"),
            ], in: folder,
            environment: ["GST_REGISTRY": folder.appending(path: "registry").path(percentEncoded: false)],
            limit: patience * 4)
    }

    @Test func commandsOfTheArticlesSucceed() async throws {
        let command = try await Self.followed.value
        #expect(command.succeeded, "\(command.output.suffix(4000))")
        #expect(command.output.contains("Turns video into its negative"))
        #expect(command.output.contains(/\n2\.0 seconds: (9\d|100) %\n/), "\(command.output.suffix(2000))")
    }

    @Test func elementOfTheArticleInvertsThePicture() async throws {
        _ = try await Self.followed.value
        let film = try await Film(of: Self.folder.appending(path: "hello/negative.avi"))
        #expect(film.frames.count == 60)
        // The leftmost bar of the test picture is white; four fifths of its negative remain.
        let bar = film.samples(frame: 0, columns: 2..<18, rows: 2..<50)
        #expect(bar.allSatisfy { (41...61).contains($0) }, "\(bar.prefix(12))")
    }

    @Test func frozenFrameIsRepeated() async throws {
        _ = try await Self.followed.value
        let film = try await Film(of: Self.folder.appending(path: "hello/frozen.avi"))
        #expect(film.frames.count == 60)
        #expect((1..<60).allSatisfy { film.frames[$0] == film.frames[0] })
    }

    @Test(arguments: [
        "Sources/Hello/Plugin.swift", "Sources/Hello/Negative.swift", "Tests/HelloTests/NegativeTests.swift",
    ])
    func articleContainsTheFilesOfTheExample(name: String) throws {
        let file = Folders.package.appending(path: "Examples/\(name)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let script = try Self.article("GStreamer/GStreamer.docc/WriteAnElement").script
        #expect(script.contains("\(name) <<'END'\n\(text)END\n"))
    }

    @Test func everySwiftBlockOfTheArticlesIsAFile() throws {
        for library in ["GStreamer", "GStreamerApp"] {
            let catalog = Folders.package.appending(path: "Sources/\(library)/\(library).docc")
            for page in try MarkdownPage.pages(in: catalog) {
                let blocks = page.text.ranges(of: "```swift\n").count
                #expect(page.script.ranges(of: "<<'END'").count == blocks, "\(page.file.lastPathComponent)")
            }
        }
    }

    /// Writes the pages from the modules that this build has compiled.
    @Test func pagesHaveAllDeclarationsAndNoBrokenLink() async throws {
        let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        let output = Folders.fresh("docs")
        let command = try await Command.run(
            Folders.package.appending(path: "plugin-build/docs"),
            ["--modules"] + [modules, output].map { $0.path(percentEncoded: false) })
        try #require(command.succeeded, "\(command.output)")
        var pages: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
        where file.pathExtension == "html" {
            pages[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        let anchors = pages.mapValues { page in Set(page.matches(of: /id="([^"]*)"/).map { String($0.1) }) }
        for (name, page) in pages {
            #expect(!page.contains("<script"))
            for link in page.matches(of: /href="([^"#]*)#?([^"]*)"/) {
                let isFound = anchors[String(link.1)].map { link.2.isEmpty || $0.contains(String(link.2)) } ?? false
                #expect(isFound, "\(name): \(link.0)")
            }
        }
        // DocC makes these groups of types that no list of topics has.
        for name in ["GStreamer", "GStreamerApp"] {
            let titles = try #require(pages["\(name).html"]).matches(of: /<h3>([^<]*)<\/h3>/).map { String($0.1) }
            #expect(titles.contains("Articles"))
            #expect(Set(titles).isDisjoint(with: ["Protocols", "Classes", "Structures", "Enumerations"]), "\(titles)")
        }
        // DocC has a file for each article and declaration, and one for each group of implementations.
        let places = Set(
            pages.keys.map { $0.lowercased() }
                + anchors.flatMap { page, names in names.map { "\(page.dropLast(5))/\($0).html".lowercased() } })
        let archive = output.appending(path: "swift.doccarchive/data/documentation").path(percentEncoded: false)
        let files = try FileManager.default.subpathsOfDirectory(atPath: archive).filter { $0.hasSuffix(".json") }
        #expect(files.count > 900)
        let missing = files.map { $0.replacing(".json", with: ".html") }.filter { file in
            !file.hasSuffix("-implementations.html") && !places.contains(file)
                && !places.contains(String(file.split(separator: "/").last ?? ""))
        }
        #expect(missing == [])
        // The script does not replace a folder with pages of others.
        let again = ["--modules"] + [modules, output].map { $0.path(percentEncoded: false) }
        let other = output.appending(path: "mine.html")
        try "mine".write(to: other, atomically: false, encoding: .utf8)
        let refused = try await Command.run(Folders.package.appending(path: "plugin-build/docs"), again)
        #expect(!refused.succeeded && refused.output.contains("did not write \(other.path(percentEncoded: false))"))
        #expect(try String(contentsOf: other, encoding: .utf8) == "mine")
    }
}
