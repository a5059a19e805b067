import Foundation
import TestSupport
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
                mkdir plugin
                cp scratch/release/libgst*.so plugin
                """#,
                Folders.package.path(percentEncoded: false),
            ], in: work, limit: patience * 4)
    }

    private func environment(_ more: [String: String] = [:]) throws -> [String: String] {
        let folders = [Self.work.appending(path: "plugin"), Self.ours].map { $0.path(percentEncoded: false) }
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
                ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
                end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, ends)
                assert end.type == Gst.MessageType.EOS, end.get_structure().to_string()
                pipeline.set_state(Gst.State.READY)


            """
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-c", start + script],
            environment: environment(["G_DEBUG": "fatal-criticals"].merging(more) { $1 }))
        try #require(command.succeeded, "\(command.output)")
        return command.output
    }

    @Test func pluginLinksOnlyTheLibrariesThatTheBridgeCalls() async throws {
        let built = try await Self.built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        let plugin = Self.work.appending(path: "plugin/libgsthello.so").path(percentEncoded: false)
        let facts = try await Command.run(named: "readelf", ["-d", plugin])
        let libraries = facts.output.matches(of: /\[lib(gst\w+)-1.0/).map { String($0.1) }
        #expect(Set(libraries) == ["gstreamer", "gstbase", "gstvideo"], "\(facts.output)")
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

    /// The duration of a recording in seconds, which `matroskamux` writes at the end of the stream; nil without one.
    private func duration(of film: URL) async throws -> Double? {
        let found = try await Command.run(
            named: "ffprobe",
            ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", film.path(percentEncoded: false)])
        return Double(found.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func recordingEndsAtAnAlert() async throws {
        let folder = Folders.fresh("watch")
        let watch = try await run(
            "Watch", ["slow: rate=25", "videotestsrc is-live=true ! identity name=slow sleep-time=60000", "a.mkv"],
            in: folder)
        #expect(watch.succeeded && watch.output.contains("raised slow rate"), "\(watch.output)")
        #expect(try await duration(of: folder.appending(path: "a.mkv")) ?? 0 > 1)
    }

    @Test(arguments: ["SIGINT", "SIGTERM"])
    func recordingIsCompleteAfterASignal(signal: String) async throws {
        let built = try await Self.built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        let folder = Folders.fresh("interrupt")
        let script = """
            import signal, subprocess, sys
            watch = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
            print(watch.stdout.readline().decode(), end="")
            watch.send_signal(signal.\(signal))
            sys.exit(watch.wait())
            """
        let watch = try await Command.run(
            URL(filePath: "/usr/bin/python3"),
            [
                "-c", script, Self.work.appending(path: "scratch/release/Watch").path(percentEncoded: false),
                "pipeline: rate=1", "videotestsrc is-live=true", "a.mkv",
            ], in: folder, environment: environment(["GST_PLUGIN_FEATURE_RANK": "dfbvideosink:NONE"]))
        #expect(watch.succeeded && watch.output.contains(" records; Ctrl-C ends it.\n"), "\(watch.output)")
        #expect(try await duration(of: folder.appending(path: "a.mkv")) ?? 0 > 0)
    }

    /// The border follows a curve of GstController by stream time, also after a seek.
    @Test func wipeMovesWithItsControlSource() async throws {
        let output = try await plays(
            """
            gi.require_version("GstController", "1.0")
            from gi.repository import GstController
            pipeline = Gst.parse_launch(
                "swiftwipe name=wipe ! video/x-raw,format=BGRx ! appsink name=sink sync=false max-buffers=1 "
                "videotestsrc pattern=red ! video/x-raw,width=100,height=4,framerate=10/1 ! wipe. "
                "videotestsrc pattern=blue ! video/x-raw,width=50,height=2,framerate=5/1 ! wipe.")
            wipe, sink = pipeline.get_by_name("wipe"), pipeline.get_by_name("sink")
            curve = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
            curve.set(0, 0.005)
            curve.set(Gst.SECOND, 1)
            wipe.add_control_binding(GstController.DirectControlBinding.new_absolute(wipe, "position", curve))

            def borders():
                found = []
                for _ in range(3):
                    buffer = sink.try_pull_sample(60 * Gst.SECOND).get_buffer()
                    row = buffer.extract_dup(0, 400)
                    found.append((buffer.pts // Gst.MSECOND, [row[4 * x + 2] > 128 for x in range(100)].count(True)))
                return found

            for run in range(2):
                pipeline.set_state(Gst.State.PLAYING)
                print(borders())
                pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, 700 * Gst.MSECOND)
                print(borders())
                pipeline.set_state(Gst.State.NULL)
            """)
        let run = "[(0, 0), (100, 10), (200, 20)]\n[(700, 70), (800, 80), (900, 90)]\n"
        #expect(output == run + run, "\(output)")
    }

    @Test func scaledPictureHasTheMeansAndKeepsItsAspectRatio() async throws {
        let output = try await plays(
            """
            for caps in ("width=4", "height=1", "width=4,height=4", "width=64", "width=[1,max]"):
                pipeline = Gst.parse_launch(
                    "videotestsrc num-buffers=1 pattern=checkers-8 ! video/x-raw,format=BGRx,width=32,height=16 "
                    f"! swiftscale ! video/x-raw,{caps} ! appsink name=sink sync=false")
                for run in range(2):
                    pipeline.set_state(Gst.State.PLAYING)
                    sample = pipeline.get_by_name("sink").try_pull_sample(60 * Gst.SECOND)
                    format = sample.get_caps().get_structure(0)
                    data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
                    print(caps, format.get_int("width").value, format.get_int("height").value, sorted(set(data[1::4])))
                    pipeline.set_state(Gst.State.NULL)
            """)
        // The squares of 8 pixels are green and red; a square of 16 pixels has two of each.
        let expected = [
            "width=4 4 2 [0, 255]", "height=1 2 1 [127]", "width=4,height=4 4 4 [0, 255]", "width=64 64 32 [0, 255]",
            "width=[1,max] 32 16 [0, 255]",
        ]
        #expect(output == expected.map { "\($0)\n\($0)\n" }.joined(), "\(output)")
    }

    @Test func sweepContinuesAtTheTimeOfASeek() async throws {
        let output = try await plays(
            """
            pipeline = Gst.parse_launch("swiftsweepsrc duration=0.5 last-frequency=10000 ! appsink name=sink sync=false")
            sink = pipeline.get_by_name("sink")

            def read():
                samples, first = b"", None
                while sample := sink.try_pull_sample(60 * Gst.SECOND):
                    buffer = sample.get_buffer()
                    first = buffer.pts if first is None else first
                    samples += buffer.extract_dup(0, buffer.get_size())
                return first, samples

            def crossings(samples):
                levels = memoryview(samples).cast("h")
                return sum((a < 0) != (b < 0) for a, b in zip(levels, levels[1:]))

            flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
            for run in range(2):
                pipeline.set_state(Gst.State.PLAYING)
                first, whole = read()
                print(first, len(whole) // 2, pipeline.query_duration(Gst.Format.TIME).duration)
                # 10 ms at 20 Hz to 220 Hz, and at 9800 Hz to 10 kHz.
                print(crossings(whole[:960]) <= 3, 190 <= crossings(whole[-960:]) <= 200)
                # 98.625 ms are 4734 samples, but a little more in floating point.
                for time in (250_000_000, 98_625_000, 123_456_789, 0):
                    assert pipeline.seek_simple(Gst.Format.TIME, flags, time)
                    first, rest = read()
                    number = -(-time * 48_000 // Gst.SECOND)
                    print(rest == whole[2 * number:], first == number * Gst.SECOND // 48_000)
                assert pipeline.seek(1, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, 100_000_000)
                print(len(read()[1]) // 2)
                print(pipeline.seek(-1, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, 100_000_000))
                pipeline.set_state(Gst.State.NULL)
            """)
        let run = "0 24000 500000000\n" + String(repeating: "True True\n", count: 5) + "4800\nFalse\n"
        #expect(output == run + run, "\(output)")
    }

    @Test func speedConvertsTimesOfSeeksQueriesAndSegments() async throws {
        let film = try await film(in: Folders.fresh("speed"))
        let output = try await plays(
            """
            pipeline = Gst.parse_launch(
                "filesrc name=film ! matroskademux ! vp8dec ! swiftspeed speed=2/1 ! appsink name=sink sync=false")
            pipeline.get_by_name("film").set_property("location", \(String(reflecting: film)))
            sink = pipeline.get_by_name("sink")

            def times(count=1000):
                found = []
                while len(found) < count and (sample := sink.try_pull_sample(60 * Gst.SECOND)):
                    buffer, segment = sample.get_buffer(), sample.get_segment()
                    found.append((segment.to_stream_time(Gst.Format.TIME, buffer.pts) // Gst.MSECOND,
                                  segment.to_running_time(Gst.Format.TIME, buffer.pts) // Gst.MSECOND))
                return found

            def seek(rate, flags, start, stop):
                assert pipeline.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start * Gst.MSECOND,
                                     Gst.SeekType.SET, stop * Gst.MSECOND)

            flags, part = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekFlags.SEGMENT
            pipeline.set_state(Gst.State.PLAYING)
            print(times() == [(50 * n, 50 * n) for n in range(30)])
            # The sink itself would answer a query for the position.
            pad = sink.get_static_pad("sink").get_peer()
            print([query(Gst.Format.TIME)[1] // Gst.MSECOND for query in (pad.query_duration, pad.query_position)])
            seeking, segment = Gst.Query.new_seeking(Gst.Format.TIME), Gst.Query.new_segment(Gst.Format.TIME)
            print(pad.query(seeking), seeking.parse_seeking().segment_end // Gst.MSECOND)
            print(pad.query(segment), segment.parse_segment().stop_value // Gst.MSECOND)
            seek(2, flags, 500, 650)
            print(times())
            seek(1, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 50, 100)
            print(times())
            seek(-1, flags, 500, 600)
            print(times())
            seek(1, flags | part, 500, 600)
            print(times(2))
            assert pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.SEGMENT_DONE)
            seek(1, part, 0, 100)
            print(times(2))
            instant = Gst.SeekFlags.INSTANT_RATE_CHANGE
            print(pipeline.seek(2, Gst.Format.TIME, instant, Gst.SeekType.NONE, 0, Gst.SeekType.NONE, 0))
            pipeline.set_state(Gst.State.NULL)
            """)
        let expected = [
            "True", "[1500, 1500]", "True 1500", "True 1500", "[(500, 0), (550, 25), (600, 50)]",
            "[(0, 0), (50, 50)]", "[(550, 50), (500, 100)]", "[(500, 0), (550, 50)]", "[(0, 100), (50, 150)]", "False",
        ]
        #expect(output == expected.map { "\($0)\n" }.joined(), "\(output)")
    }

    /// matroskademux reads in pull mode; filesink receives the bytes in order.
    @Test func partsAreReadAsOneFile() async throws {
        let folder = Folders.fresh("parts")
        let film = try await film(in: folder)
        let split = try await Command.run(
            named: "split", ["-b", "1000", "-d", "-a", "3", "--numeric-suffixes=1", film, "\(film)."])
        try #require(split.succeeded, "\(split.output)")
        try FileManager.default.moveItem(atPath: film, toPath: "\(film).whole")
        let output = try await plays(
            """
            import os
            film = \(String(reflecting: film))
            copy = Gst.parse_launch("swiftpartssrc name=film ! filesink name=copy")
            copy.get_by_name("film").set_property("location", film)
            copy.get_by_name("copy").set_property("location", film + ".copy")
            for run in range(2):
                play(copy)
                print(open(film + ".copy", "rb").read() == open(film + ".whole", "rb").read())

            def times():
                found = []
                while sample := sink.try_pull_sample(60 * Gst.SECOND):
                    found.append(sample.get_buffer().pts // (100 * Gst.MSECOND))
                return found

            # A launch line links the pads of matroskademux only once.
            for run in range(2):
                pipeline = Gst.parse_launch(
                    "swiftpartssrc name=film ! matroskademux ! vp8dec ! appsink name=sink sync=false")
                pipeline.get_by_name("film").set_property("location", film)
                sink = pipeline.get_by_name("sink")
                pipeline.set_state(Gst.State.PLAYING)
                print(times() == list(range(30)))
                assert pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, 2 * Gst.SECOND)
                print(times())
                pipeline.set_state(Gst.State.NULL)
            os.mkdir(film + "-folder.001")
            os.mkfifo(film + "-pipe.001")
            for name in (None, "/no-such-film", film + "-folder", film + "-pipe"):
                pipeline.get_by_name("film").set_property("location", name)
                print(pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE)
                print(pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR).parse_error()[0].message)
                pipeline.set_state(Gst.State.NULL)
            """)
        let run = "True\n[20, 21, 22, 23, 24, 25, 26, 27, 28, 29]\n"
        let names = ["/no-such-film", "\(film)-folder", "\(film)-pipe"]
        let ends = names.map { "True\nThe file \($0).001 cannot be opened.\n" }
        let unset = "True\nThe property location is not set.\n"
        #expect(output == "True\nTrue\n" + run + run + unset + ends.joined(), "\(output)")
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
