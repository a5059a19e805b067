import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests that the monitor knows the ages of frames soon after the pipeline changes, and that the ages are correct.
@Suite(.serialized) struct AgeTests {
    private static let fast = "capsfilter caps=video/x-raw,framerate=200/1,width=32,height=32"

    /// Most runs are shorter than a second, so they end before the monitor, which reads once a second, reads again.
    @Test func agesOfANewBranchAreKnownFromItsStart() {
        var known: [Double] = []
        for _ in 0..<5 {
            let pipeline = Pipeline(
                "videotestsrc ! \(Self.fast) ! identity sleep-time=3000 ! tee name=t ! queue ! fakesink name=s perfmonitor name=m report=none"
            )
            #expect(pipeline.go(GST_STATE_PLAYING))
            let branch = gst_parse_bin_from_description("queue ! fakesink name=n sync=false async=false", 1, nil)!
            gst_bin_add(pipeline.bin, branch)
            let recorder = PadRecorder(pipeline, "n")
            gst_element_sync_state_with_parent(branch)
            #expect(gst_element_link(pipeline.element("t"), branch) != 0)
            #expect(eventually { recorder.frames >= 60 })
            pipeline.end()
            known.append(pipeline.figure("n", "age-coverage") ?? 0)
        }
        // Other programs may delay up to two of the five runs.
        #expect(known.sorted()[2] >= 0.8, "\(known)")
    }

    /// A flush sets running times to 0, and the base time of the pipeline follows later or never.
    @Test(arguments: ["sync=true", "sync=false async=false"])
    func agesOfALivePipelineAreNotThoseOfTheTimeBeforeASeek(sink: String) throws {
        // Other programs also make frames old, so one good run of five is sufficient.
        #expect(try (0..<5).contains { _ in try agesAreShortAfterASeek(sink) })
    }

    private func agesAreShortAfterASeek(_ sink: String) throws -> Bool {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! \(Self.fast) ! queue ! fakesink name=s \(sink) perfmonitor name=m report=none")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let begin = gst_util_get_timestamp()
        let recorder = PadRecorder(pipeline)
        #expect(eventually { recorder.frames >= 200 })
        let elapsed = Double(gst_util_get_timestamp() - begin)
        for target in 1...3 {
            #expect(gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, gint64(target)) != 0)
            let seen = recorder.frames
            #expect(eventually { recorder.frames >= seen + 60 })
        }
        pipeline.end()
        #expect(try #require(pipeline.figure("s", "age-coverage")) > 0.9)
        return try #require(pipeline.figure("s", "age-p95")) < elapsed / 2
    }

    /// GstBaseSrc sets PTS 0 on the first bytes of a file; the parser sets the PTS of the frames.
    @Test func agesOfFramesOfAFileBeginAtItsParser() throws {
        let file = Setup.newFolder().appending(path: "a.raw").path
        let picture = "capsfilter caps=video/x-raw,format=I420,width=32,height=32"
        #expect(Pipeline("videotestsrc num-buffers=120 ! \(picture) ! filesink location=\(file)").play() == ["eos"])
        let parser = "rawvideoparse format=i420 width=32 height=32 framerate=30/1"
        let pipeline = Pipeline(
            "filesrc location=\(file) blocksize=512 ! queue ! \(parser) ! identity name=i sleep-time=4000 ! fakesink name=s sync=false perfmonitor name=m report=none elements=*"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(try #require(pipeline.figure("s", "age-coverage")) > 0.7)
        let held = try #require(pipeline.figure("i", "latency-p95"))
        #expect(try #require(pipeline.figure("s", "age-p95")) < 3 * held)
    }

    /// The source sends its first frames before the monitor is in PAUSED.
    @Test func propertiesThatAreSetInReadyHoldFromTheFirstFrame() {
        let pipeline = Pipeline(
            "videotestsrc name=o num-buffers=50 ! identity name=i ! fakesink name=s perfmonitor name=m report=none enabled=false"
        )
        #expect(pipeline.go(GST_STATE_READY))
        pipeline.set("elements", to: "i", of: "m")
        pipeline.set("enabled", to: "true", of: "m")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("i", "in") == 50 && !pipeline.hasFigures(of: "o"))
    }

    /// A leaky queue drops hundreds of successive frames while its sink is blocked; `FrameTimes` stores 256 frames.
    @Test func countsMoreDropsInARowThanAPadRemembers() throws {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=1500 ! capsfilter caps=video/x-raw,width=16,height=16 ! queue name=q leaky=downstream max-size-buffers=2 ! fakesink name=s perfmonitor name=m report=none"
        )
        let gate = PadRecorder(pipeline, "q", pad: "sink")
        let pad = gst_element_get_static_pad(pipeline.element("s"), "sink")!
        defer { gst_object_unref(pad) }
        let blocked = gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: GST_PAD_PROBE_TYPE_BLOCK.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue),
            { _, _, _ in GST_PAD_PROBE_OK }, nil, nil)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(eventually { gate.frames >= 1000 })
        gst_pad_remove_probe(pad, blocked)
        #expect(pipeline.listen() == ["eos"])
        pipeline.end()
        let (entered, left) = (pipeline.figure("q", "in") ?? 0, pipeline.figure("q", "out") ?? 0)
        #expect(entered == 1500 && left < 600)
        #expect(pipeline.figure("q", "dropped") == entered - left)
    }
}
