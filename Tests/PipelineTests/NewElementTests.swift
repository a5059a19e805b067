import Foundation
import TestSupport
import Testing

/// Tests `plugin-build/new-element`, and with its packages the tests in `Examples`.
@Suite(.serialized) struct NewElementTests {
    private static let work = Folders.fresh("new-element")

    /// Runs a program; all packages have one scratch folder, so that the libraries are compiled once.
    private func run(_ program: URL, _ arguments: [String], _ more: [String: String] = [:]) async throws -> Command {
        try await Command.run(
            program, arguments, in: Self.work,
            environment: [
                "GST_REGISTRY": Self.work.appending(path: "registry").path(percentEncoded: false),
                "G_DEBUG": "fatal-criticals",
                "SWIFTPM_BUILD_DIR": Self.work.appending(path: "scratch").path(percentEncoded: false),
            ].merging(more) { $1 }, limit: patience * 4)
    }

    private func make(_ arguments: String...) async throws -> Command {
        try await run(Folders.package.appending(path: "plugin-build/new-element"), arguments)
    }

    /// The kinds, and a launch line that plays in a test.
    private static let kinds = [
        ("filter", "videotestsrc num-buffers=3 ! NAME amount=0.8 ! fakesink"),
        ("source", "NAME num-buffers=3 ! fakesink"),
        ("sink", "audiotestsrc num-buffers=3 ! NAME sync=false"),
        ("audio-filter", "audiotestsrc num-buffers=3 ! audioconvert ! NAME ! fakesink"),
        ("aggregator", "NAME name=m ! fakesink videotestsrc num-buffers=3 ! m. videotestsrc num-buffers=3 ! m."),
        ("tracer", "videotestsrc num-buffers=3 ! fakesink"),
    ]

    @Test(arguments: kinds)
    func packageBuildsPassesItsTestsAndPlays(kind: String, line: String) async throws {
        let name = "my" + kind.replacing("-", with: "")
        let made = try await make("packages/\(name)", "--kind", kind)
        try #require(made.succeeded, "\(made.output)")
        let folder = Self.work.appending(path: "packages/\(name)")
        // The printed page is that of the package, with the launch line of the new element.
        let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        #expect(made.output.hasSuffix(page) && page.contains("./run gst-launch-1.0 "), "\(made.output)")
        let packages = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        for path in packages where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            #expect(!text.contains(/swift(examples|tone|peak|echo|wipe|push)|(! |")negative\b|hello/), "\(path)")
        }
        let tested = try await run(
            URL(filePath: "/bin/sh"), ["-c", "nice swift test --package-path packages/\(name) 2>&1 | tail -n 40"])
        #expect(tested.output.contains("Test run with 3 tests in 1 suite passed"), "\(tested.output)")
        let played = try await run(
            folder.appending(path: "run"),
            ["gst-launch-1.0"] + line.replacing("NAME", with: name).split(separator: " ").map(String.init),
            ["GST_TRACERS": kind == "tracer" ? name : "", "GST_DEBUG": "\(name):4"])
        #expect(played.succeeded && played.output.contains("Got EOS"), "\(played.output)")
        #expect(!played.output.contains("WARN"), "\(played.output)")
        if kind == "tracer" { #expect(played.output.contains("videotestsrc0:src: 3 buffers"), "\(played.output)") }
    }

    @Test(arguments: [
        ([], "The name of the element is missing; see plugin-build/new-element --help."),
        (["one"], "The kind is missing: --kind filter, source, sink, audio-filter, aggregator or tracer."),
        (["one", "--kind"], "--kind requires one of filter, source, sink, audio-filter, aggregator and tracer."),
        (
            ["one", "--kind", "demuxer"],
            "There is no kind demuxer, only filter, source, sink, audio-filter, aggregator"
        ),
        (["one", "two", "--kind", "sink"], "Only one element can be made at a time: one or two."),
        (["one", "--type", "sink"], "There is no option --type; see plugin-build/new-element --help."),
        (
            ["My-Filter", "--kind", "sink"],
            "My-Filter cannot be the name of an element: it must have 2 to 30 lower-case"
        ),
        (["folder/9lives", "--kind", "sink"], "9lives cannot be the name of an element:"),
        (["identity", "--kind", "filter"], "GStreamer has an element or a plugin identity; choose another name."),
        (["taken", "--kind", "filter"], "taken exists; choose another name, or remove it."),
        (["sendspin", "--kind", "filter"], "sendspin is a plugin of this checkout; choose another name."),
    ])
    func refusesWithOneSentence(arguments: [String], sentence: String) async throws {
        let before = Self.work.appending(path: "taken")
        try Data("kept".utf8).write(to: before)
        let made = try await run(Folders.package.appending(path: "plugin-build/new-element"), arguments)
        #expect(!made.succeeded && made.output.hasPrefix(sentence), "\(made.output)")
        #expect(made.output.split(separator: "\n").count == 1, "\(made.output)")
        #expect(try Data(contentsOf: before) == Data("kept".utf8))
        for name in ["one", "two", "My-Filter", "folder", "identity"] {
            #expect(
                !FileManager.default.fileExists(atPath: Self.work.appending(path: name).path(percentEncoded: false)))
        }
    }

    @Test func helpNamesTheKinds() async throws {
        let help = try await make("--help")
        #expect(help.succeeded && help.output.contains("filter|source|sink|audio-filter|aggregator|tracer"))
    }
}
