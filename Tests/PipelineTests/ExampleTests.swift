import Foundation
import Testing

/// Tests the use of the bridge in another package, `Examples`.
///
/// Each plugin of such a package contains its own copy of the bridge and of the Swift runtime.
@Suite(.serialized) struct ExampleTests {
    private static let ours = Folders.package.appending(path: "out/plugin")

    private static let work = Folders.fresh("examples")

    /// Builds the package once for all tests.
    ///
    /// It depends on the committed state of this package by URL and version, as packages of others do.
    private static let built = Task {
        try await Command.run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                #"""
                set -e
                # SwiftPM does not decode the space in the name of this folder.
                folder=$(mktemp -d) name=gst-plugins-swift
                trap 'rm -rf "$folder"' EXIT
                git clone --quiet "$0" "$folder/$name"
                git -C "$folder/$name" tag --force 0.0.1
                cp -r "$0/Examples" .
                sed -i "s|path: \"..\"|from: \"0.0.1\"|; s|name: \"$name\", from|url: \"file://$folder/$name\", from|" \
                    Examples/Package.swift
                grep -q 'from: "0.0.1"' Examples/Package.swift
                nice swift build -c release -Xswiftc -static-stdlib --package-path Examples \
                    --scratch-path scratch --cache-path cache --security-path security
                """#,
                Folders.package.path(percentEncoded: false),
            ], in: work)
    }

    private func environment(_ more: [String: String] = [:]) throws -> [String: String] {
        let folders = [Self.work.appending(path: "scratch/release"), Self.ours].map { $0.path(percentEncoded: false) }
        return [
            "GST_PLUGIN_PATH": folders.joined(separator: ":"),
            "GST_REGISTRY": Folders.fresh("registry").appending(path: "registry").path(percentEncoded: false),
        ].merging(more) { $1 }
    }

    /// Plays elements of the plugin and of the examples in a process that contains three Swift runtimes and a tracer.
    @Test func threePluginsPlayInOneProcess() async throws {
        let built = try await Self.built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        let small = "video/x-raw,format=BGRx,width=64,height=48,framerate=30/1"
        let branch =
            "videotestsrc num-buffers=500 ! \(small) ! adaptivepool ! negative ! backpressurequeue leaky=no ! "
            + "ntscfilter ! thermalcaps ! negative amount=0.5 ! fakesink"
        let line = [
            branch, branch, branch,
            "swifttonesrc num-buffers=500 ! backpressurequeue leaky=no ! swiftpeaksink sync=false",
        ].joined(separator: " ")
        let command = try await Command.run(
            named: "gst-launch-1.0", ["-m"] + line.split(separator: " ").map(String.init),
            environment: environment(["GST_TRACERS": "swiftpushcount", "GST_DEBUG": "swiftpushcount:4"]))
        #expect(command.succeeded, "\(command.output.suffix(2000))")
        #expect(!command.output.contains("CRITICAL"))
        // 8191 is a quarter of the maximum sample value.
        #expect(command.output.contains("swift-peak, peak=(uint)8191"))
        #expect(command.output.contains("swifttonesrc0:src: 500 buffers, 480000 bytes"))
        #expect(command.output.contains("negative0:src: 500 buffers"))
    }

    private func plays(_ script: String, _ more: [String: String] = [:]) async throws -> String {
        let built = try await Self.built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        let start = """
            import gi
            gi.require_version("Gst", "1.0")
            gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)

            def play(pipeline):
                pipeline.set_state(Gst.State.PLAYING)
                messages = []
                while not messages or messages[-1].type not in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
                    messages.append(pipeline.get_bus().timed_pop(60 * Gst.SECOND))
                assert messages[-1].type == Gst.MessageType.EOS, messages[-1].get_structure().to_string()
                pipeline.set_state(Gst.State.READY)
                return [message.get_structure() for message in messages if message.type == Gst.MessageType.ELEMENT]


            """
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-c", start + script],
            environment: environment(["G_DEBUG": "fatal-criticals"].merging(more) { $1 }))
        try #require(command.succeeded, "\(command.output)")
        return command.output
    }

    /// `negative` changes white to 255 - 255 * `amount`, and black to 255 * `amount`; `amount` is rounded to 1/256.
    @Test func negativeInvertsItsShare() async throws {
        let output = try await plays(
            """
            for amount in (0, 0.25, 0.5, 0.8, 1):
                pipeline = Gst.parse_launch(
                    "videotestsrc num-buffers=1 pattern=checkers-8 ! video/x-raw,format=BGRx,width=16,height=8 "
                    f"! negative amount={amount} ! appsink name=sink sync=false")
                for run in range(2):
                    pipeline.set_state(Gst.State.PLAYING)
                    data = pipeline.get_by_name("sink").try_pull_sample(60 * Gst.SECOND).get_buffer().extract_dup(0, 64)
                    # Eight red pixels or green ones; the byte of a colour that is 0, and of one that is 255.
                    print(amount, sorted({data[0], data[1], data[2], data[32], data[33], data[34]}))
                    # appsink remains at EOS until NULL.
                    pipeline.set_state(Gst.State.NULL)
            """)
        let expected = [("0", "0, 255"), ("0.25", "63, 191"), ("0.5", "127"), ("0.8", "51, 203"), ("1", "0, 255")]
        #expect(output == expected.map { "\($0.0) [\($0.1)]\n\($0.0) [\($0.1)]\n" }.joined(), "\(output)")
    }

    @Test func peakSinkMeasuresEachRunAnew() async throws {
        let output = try await plays(
            """
            pipeline = Gst.parse_launch(
                "audiotestsrc name=source num-buffers=200 volume=0.5 ! audio/x-raw,rate=44100 ! swiftpeaksink sync=false")
            for volume in (0.5, 0.25):
                pipeline.get_by_name("source").set_property("volume", volume)
                print([structure.get_uint("peak").value for structure in play(pipeline)])
            """)
        let runs = output.split(separator: "\n")
        // 200 buffers of 1024 samples last 4.6 s, so the sink posts four messages, and a fifth message at the end.
        #expect(runs == ["[16383, 16383, 16383, 16383, 16383]", "[8191, 8191, 8191, 8191, 8191]"], "\(output)")
    }

    // MARK: Applications

    private func run(_ name: String, _ arguments: [String], in folder: URL? = nil) async throws -> Command {
        let built = try await Self.built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        return try await Command.run(
            Self.work.appending(path: "scratch/release/\(name)"), arguments, in: folder,
            // dfbvideosink crashes if there is no frame buffer.
            environment: environment(["GST_PLUGIN_FEATURE_RANK": "dfbvideosink:NONE"]))
    }

    private func film(in folder: URL) async throws -> String {
        let film = folder.appending(path: "a film ü.mkv").path(percentEncoded: false)
        let line =
            "videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48,framerate=10/1 ! vp8enc ! "
            + "taginject tags=title=Tape ! matroskamux ! filesink"
        let made = try await Command.run(
            named: "gst-launch-1.0", ["-q"] + line.split(separator: " ").map(String.init) + ["location=\(film)"])
        try #require(made.succeeded, "\(made.output)")
        return film
    }

    @Test func stillsAreThoseOfTheirTimes() async throws {
        let folder = Folders.fresh("stills")
        let film = try await film(in: folder)
        let stills = try await run("Stills", [film, "0.5", "stills"], in: folder)
        #expect(stills.succeeded, "\(stills.output)")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "stills"), includingPropertiesForKeys: nil)
        #expect(files.count == 6)
        #expect(try files.allSatisfy { try Data(contentsOf: $0).starts(with: [0x89, 0x50, 0x4E, 0x47]) })
        let again = try await run("Stills", [film, "0.5", "stills"], in: folder)
        #expect(!again.succeeded && again.output.contains("already exists"))
    }

    @Test func playerPrintsTitleAndProgress() async throws {
        let player = try await run("Player", [try await film(in: Folders.fresh("player"))])
        #expect(player.succeeded && player.output.contains("Tape"), "\(player.output)")
        #expect(player.output.hasSuffix("[\(String(repeating: "=", count: 40))] 0:03 of 0:03\n"), "\(player.output)")
        let missing = try await run("Player", ["/no-such-file"])
        #expect(!missing.succeeded && missing.output.contains("Resource not found"))
    }

    @Test func recordingEndsAtAnAlert() async throws {
        let folder = Folders.fresh("watch")
        // Without the end of the stream, a file of qtmux has no index and cannot be played.
        let line =
            "videotestsrc is-live=true ! identity name=slow sleep-time=60000 ! jpegenc ! qtmux ! filesink location=a.mov"
        let watch = try await run("Watch", ["slow: rate=25", line], in: folder)
        #expect(watch.succeeded && watch.output.contains("raised slow rate"), "\(watch.output)")
        let film = folder.appending(path: "a.mov").path(percentEncoded: false)
        let played = try await Command.run(
            named: "gst-launch-1.0",
            ["-q", "filesrc", "location=\(film)", "!", "qtdemux", "!", "jpegdec", "!", "fakesink"])
        #expect(played.succeeded && played.output.isEmpty, "\(played.output)")
    }

    @Test func toneBeginsAgainInEachRun() async throws {
        let output = try await plays(
            """
            pipeline = Gst.parse_launch(
                "swifttonesrc num-buffers=3 frequency=1000 volume=0.5 ! appsink name=sink sync=false")
            for run in range(2):
                pipeline.set_state(Gst.State.PLAYING)
                sink, samples = pipeline.get_by_name("sink"), b""
                while sample := sink.try_pull_sample(60 * Gst.SECOND):
                    samples += sample.get_buffer().extract_dup(0, 960)
                levels = memoryview(samples).cast("h")
                print(len(levels), min(levels), max(levels), [levels[index] for index in (0, 24, 48)], sample)
                pipeline.set_state(Gst.State.NULL)
            """)
        let run = "1440 -16383 15700 [-16383, 0, -16383] None\n"
        #expect(output == run + run, "\(output)")
    }

    /// The tracer begins again to count at 0 when an element returns to READY.
    @Test func pushCountCountsEachRunAnew() async throws {
        let output = try await plays(
            """
            pipeline = Gst.parse_launch("fakesrc num-buffers=7 sizetype=fixed sizemax=10 name=source ! fakesink")
            play(pipeline)
            play(pipeline)
            """, ["GST_TRACERS": "swiftpushcount", "GST_DEBUG": "swiftpushcount:4", "GST_DEBUG_NO_COLOR": "1"])
        let lines = output.split(separator: "\n").filter { $0.hasSuffix("source:src: 7 buffers, 70 bytes") }
        #expect(lines.count == 2, "\(output)")
    }

    /// Loads both plugins of this package, each of which contains the bridge and the Swift runtime.
    @Test func bothPluginsLoadInOneProcess() async throws {
        let script = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            loaded = [Gst.Plugin.load_by_name(name) for name in ("swiftvideo", "sendspin")]
            print([plugin.is_loaded() for plugin in loaded], [plugin.get_version() for plugin in loaded])
            names = [feature.get_name() for plugin in loaded
                     for feature in Gst.Registry.get().get_feature_list_by_plugin(plugin.get_name())]
            for name in names:
                if factory := Gst.ElementFactory.find(name):
                    print(name, factory.create(None) is not None)
            """
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-c", script],
            environment: environment(["GST_DEBUG": "swiftbridge:2"]))
        #expect(command.succeeded, "\(command.output)")
        #expect(command.output.contains("[True, True]"), "\(command.output)")
        #expect(command.output.contains("ntscfilter True"), "\(command.output)")
        for trouble in ["CRITICAL", "WARN", "ERROR", "False"] {
            #expect(!command.output.contains(trouble), "\(command.output)")
        }
    }

    /// A program and a plugin each contain `FrameTracking` and attach tokens to the same buffers.
    ///
    /// The program and the plugin count only their own tokens.
    @Test func buffersCarryTokensOfTwoSharedObjects() async throws {
        // SwiftPM builds the program into the folder of the tests.
        let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Probe")
        let command = try await Command.run(
            probe, ["tracking", Self.ours.appending(path: "libgstswiftvideo.so").path(percentEncoded: false)],
            environment: environment())
        #expect(command.succeeded, "\(command.output)")
        #expect(command.output == "between 0 0\ncopied 3 3\nreleased 0 0\n")
    }

    /// Loads a copy of the plugin, whose types have the same names.
    ///
    /// The types of the first plugin keep their names and continue to work.
    @Test func secondPluginWithSameTypeNamesIsRefused() async throws {
        let copy = Folders.fresh("copy").appending(path: "libgstswiftvideo.so")
        try FileManager.default.copyItem(at: Self.ours.appending(path: "libgstswiftvideo.so"), to: copy)
        let script = """
            import ctypes, gi, sys
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            line = "videotestsrc num-buffers=100 ! adaptivepool force=true ! ntscfilter ! backpressurequeue ! fakesink"
            first = Gst.parse_launch(line)
            ctypes.CDLL(sys.argv[1]).gst_plugin_swiftvideo_register()
            for pipeline in (first, Gst.parse_launch(line)):
                pipeline.set_state(Gst.State.PLAYING)
                ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
                print(pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, ends).type.first_value_nick)
                pipeline.set_state(Gst.State.NULL)
            """
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-c", script, copy.path(percentEncoded: false)],
            environment: environment(["GST_DEBUG": "swiftbridge:1"]))
        #expect(command.succeeded, "\(command.output)")
        #expect(command.output.contains("the type name GstNtscFilter is taken by another plugin"))
        #expect(command.output.split(separator: "\n").count { $0 == "eos" } == 2, "\(command.output)")
    }
}
