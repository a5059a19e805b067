import Foundation
import TestSupport
import Testing

extension ExampleTests {
    @Suite struct Elements {
        /// The border follows a curve of GstController by stream time, also after a seek.
        @Test func wipeMovesWithItsControlSource() async throws {
            let output = try await ExamplePackage.python(
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
            let output = try await ExamplePackage.python(
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
                "width=4 4 2 [0, 255]", "height=1 2 1 [127]", "width=4,height=4 4 4 [0, 255]",
                "width=64 64 32 [0, 255]",
                "width=[1,max] 32 16 [0, 255]",
            ]
            #expect(output == expected.map { "\($0)\n\($0)\n" }.joined(), "\(output)")
        }

        @Test func sweepContinuesAtTheTimeOfASeek() async throws {
            let output = try await ExamplePackage.python(
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
            let film = try await ExamplePackage.film(in: Folders.fresh("speed"))
            let output = try await ExamplePackage.python(
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
                "[(0, 0), (50, 50)]", "[(550, 50), (500, 100)]", "[(500, 0), (550, 50)]", "[(0, 100), (50, 150)]",
                "False",
            ]
            #expect(output == expected.map { "\($0)\n" }.joined(), "\(output)")
        }

        /// matroskademux reads in pull mode; filesink receives the bytes in order.
        @Test func partsAreReadAsOneFile() async throws {
            let folder = Folders.fresh("parts")
            let film = try await ExamplePackage.film(in: folder)
            let split = try await Command.run(
                named: "split", ["-b", "1000", "-d", "-a", "3", "--numeric-suffixes=1", film, "\(film)."])
            try #require(split.succeeded, "\(split.output)")
            try FileManager.default.moveItem(atPath: film, toPath: "\(film).whole")
            let output = try await ExamplePackage.python(
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
            let output = try await ExamplePackage.python(
                """
                pipeline = Gst.parse_launch("fakesrc num-buffers=7 sizetype=fixed sizemax=10 name=source ! fakesink")
                play(pipeline)
                play(pipeline)
                """, ["GST_TRACERS": "swiftpushcount", "GST_DEBUG": "swiftpushcount:4", "GST_DEBUG_NO_COLOR": "1"])
            let lines = output.split(separator: "\n").filter { $0.hasSuffix("source:src: 7 buffers, 70 bytes") }
            #expect(lines.count == 2, "\(output)")
        }

        @Test func pluginLinksOnlyTheLibrariesThatTheBridgeCalls() async throws {
            let plugin = try await ExamplePackage.file("plugin/libgsthello.so").path(percentEncoded: false)
            let facts = try await Command.run(named: "readelf", ["-d", plugin])
            let libraries = facts.output.matches(of: /\[lib(gst\w+)-1.0/).map { String($0.1) }
            #expect(Set(libraries) == ["gstreamer", "gstbase", "gstvideo"], "\(facts.output)")
        }
    }
}
