import CGStreamer
import Foundation
import GStreamer
import GstTestSupport
import Testing

/// Tests that the frames of each kind of stream are counted, and that figures that cannot be measured are absent.
@Suite(.serialized) struct StreamKindTests {
    private static let monitor = " perfmonitor name=m report=none elements=*"

    private func play(_ line: String) -> Pipeline {
        let pipeline = Pipeline(line + Self.monitor)
        #expect(pipeline.play() == ["eos"], "\(line)")
        pipeline.end()
        return pipeline
    }

    // MARK: Buffer lists and pads

    @Test func payloadersThatPushListsAreCounted() throws {
        let pipeline = play("videotestsrc num-buffers=20 ! rtpvrawpay name=p ! rtpvrawdepay name=d ! fakesink name=s")
        #expect(pipeline.figure("p", "in") == 20)
        #expect(
            try #require(pipeline.figure("p", "out")) >= 20 && pipeline.figure("p", "out") == pipeline.figure("d", "in")
        )
        #expect(pipeline.figure("d", "out") == 20 && pipeline.figure("s", "in") == 20)
        #expect(pipeline.figure("p", "dropped") == nil)
    }

    /// `identity` divides lists, so GStreamer calls a probe for a list and for each of its buffers.
    @Test(arguments: ["queue", "identity"]) func theBuffersOfAListAreCountedOnce(element: String) {
        let rig = FreeRig(element)
        for index: UInt64 in 0..<10 {
            let list = gst_buffer_list_new_sized(5)!
            for place: UInt64 in [0, 0, 0, 1, 1] {
                gst_buffer_list_insert(list, -1, newBuffer([1], pts: (2 * index + place) * 1_000_000))
            }
            #expect(gst_pad_push_list(rig.harness.raw.pointee.srcpad, list) == GST_FLOW_OK)
        }
        rig.harness.push(event: gst_event_new_eos())
        #expect(eventually { rig.pipeline.figure("i", "out") == 50 })
        rig.pipeline.end()
        #expect(rig.pipeline.figure("i", "in") == 50)
        #expect(rig.pipeline.figure("i", "dropped") == 0)
    }

    @Test func padsWithoutAParentAreCountedOnTheSideOfTheElement() {
        let rig = FreeRig()
        for index: UInt64 in 0..<50 {
            #expect(rig.harness.push(newBuffer([1], pts: index * 1_000_000)) == GST_FLOW_OK)
        }
        // The monitor examines the links once a second.
        #expect(eventually { rig.pipeline.figure("i", "in") == 50 })
        rig.pipeline.end()
        for _ in 0..<50 { #expect(rig.harness.pull()?.bytes == [1]) }
        #expect(rig.harness.pull() == nil && rig.pipeline.figure("i", "out") == 50)
        #expect(rig.pipeline.figure("i", "dropped") == 0)
    }

    @Test func unlinkedPadsOfATeeLoseNothing() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=30 ! tee name=t allow-not-linked=true ! queue ! fakesink name=s" + Self.monitor)
        let pad = gst_element_request_pad_simple(pipeline.element("t"), "src_%u")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("t", "in") == 30 && pipeline.figure("t", "dropped") == 0)
        #expect(pipeline.figure("s", "in") == 30)
        gst_element_release_request_pad(pipeline.element("t"), pad)
        gst_object_unref(pad)
    }

    @Test func anUnlinkedElementFailsAsWithoutMonitor() {
        let line = "videotestsrc num-buffers=30 ! identity name=i"
        let (plain, monitored) = (Pipeline(line), Pipeline(line + Self.monitor))
        let posted = monitored.play()
        #expect(posted == plain.play() && posted.count == 1 && posted[0].hasPrefix("error: "))
        monitored.end()
        #expect(monitored.figure("i", "in") == 1)
    }

    // MARK: Topologies

    @Test func aPipelineIsTheSumOfItsSinks() {
        let pipeline = play(
            "videotestsrc name=o num-buffers=30 ! tee name=t ! queue ! fakesink name=s t. ! queue ! fakesink name=r audiotestsrc name=a num-buffers=50 ! fakesink name=u"
        )
        #expect(pipeline.figure("o", "out") == 30 && pipeline.figure("a", "out") == 50)
        #expect(pipeline.figure("t", "in") == 30 && pipeline.figure("t", "out") == 60)
        for (sink, frames) in [("s", 30.0), ("r", 30), ("u", 50), ("pipeline", 110)] {
            #expect(pipeline.figure(sink, "in") == frames, "\(sink)")
        }
        #expect(pipeline.figure("pipeline", "age-coverage") == 1)
    }

    @Test func muxersHaveNoDropsAndCountAllStreams() {
        let pipeline = play(
            "matroskamux name=x ! fakesink name=s videotestsrc num-buffers=30 ! vp8enc name=v deadline=1 ! queue ! x. audiotestsrc num-buffers=40 ! vorbisenc name=a ! queue ! x."
        )
        let entered = (pipeline.figure("v", "out") ?? 0) + (pipeline.figure("a", "out") ?? 0)
        #expect(entered >= 60 && pipeline.figure("x", "in") == entered)
        #expect(pipeline.figure("x", "out") == pipeline.figure("s", "in"))
        #expect(pipeline.figure("x", "dropped") == nil)
    }

    @Test func aggregatorsCountTheFramesOfAllInputs() {
        let pipeline = play(
            "compositor name=c ! fakesink name=s videotestsrc num-buffers=20 ! c. videotestsrc num-buffers=20 pattern=ball ! c."
        )
        #expect(pipeline.figure("c", "in") == 40 && pipeline.figure("c", "dropped") == nil)
        #expect(pipeline.figure("c", "out") == pipeline.figure("s", "in"))
        #expect(pipeline.figure("c", "latency-coverage") == 1 && pipeline.figure("s", "age-coverage") == 1)
    }

    /// A demuxer that pulls from `filesrc` receives no frames, and is the origin of the frames downstream of it.
    @Test func behindADemuxerThatPullsAllFramesAreMeasured() throws {
        let file = Setup.newFolder().appending(path: "a.mkv").path
        _ = play("videotestsrc num-buffers=60 ! vp8enc deadline=1 ! matroskamux ! filesink location=\(file)")
        let line = "filesrc location=\(file) ! matroskademux name=d ! vp8dec name=v ! fakesink name=s"
        let played = play(line)
        #expect(played.figure("d", "out") == 60 && played.figure("v", "in") == 60 && played.figure("s", "in") == 60)
        #expect(played.figure("d", "dropped") == nil && played.figure("d", "latency-p50") == nil)

        // The monitor examines the pads of a demuxer after they are added; the ages of frames before that are unknown.
        let pipeline = Pipeline(line + Self.monitor)
        #expect(
            eventually {
                // Each seek passes one frame to the sink, which blocks in PAUSED.
                gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0)
                return pipeline.go(GST_STATE_PAUSED) && pipeline.figure("s", "age-count") ?? 0 > 0
            })
        let before = try #require(pipeline.element("m").figures("s", ["in", "age-count"]))
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let after = try #require(pipeline.element("m").figures("s", ["in", "age-count"]))
        #expect(after[0] - before[0] == 59 && after[1] - before[1] == 59)
    }

    // MARK: Changes

    @Test func flushesWhileFramesFlowAreNoDrops() {
        let pipeline = Pipeline(
            "videotestsrc ! queue name=q ! identity name=i ! fakesink name=s sync=true" + Self.monitor)
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PLAYING))
        for target: gint64 in 1...10 {
            let frames = sink.frames
            #expect(eventually { sink.frames > frames + 2 })
            #expect(
                gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, target * 1_000_000_000) != 0
            )
        }
        let frames = sink.frames
        #expect(eventually { sink.frames > frames + 30 })
        pipeline.end()
        #expect(pipeline.figure("s", "in") == Double(sink.frames))
        #expect(pipeline.figure("q", "dropped") == 0 && pipeline.figure("i", "dropped") == 0)
        #expect(pipeline.figure("i", "latency-coverage") == 1)
    }

    @Test func newCapsLoseNoFrame() {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter name=c caps=video/x-raw,framerate=60/1,width=32,height=32 ! queue name=q ! fakesink name=s sync=false"
                + Self.monitor)
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PLAYING))
        for size in [64, 32, 128, 16] {
            pipeline.set("caps", to: "video/x-raw,framerate=60/1,width=\(size),height=\(size)", of: "c")
            #expect(eventually { sink.last == "\(size)x\(size)@60/1" })
        }
        let frames = sink.frames
        #expect(eventually { sink.frames > frames + 10 })
        pipeline.end()
        #expect(pipeline.figure("s", "in") == Double(sink.frames))
        #expect(pipeline.figure("q", "dropped") == 0 && pipeline.figure("q", "latency-coverage") ?? 0 > 0.9)
    }
}

/// A playing pipeline with an element in a harness, whose pads have no parent.
private final class FreeRig {
    let pipeline: Pipeline
    let harness: Harness

    init(_ element: String = "identity") {
        pipeline = Pipeline("\(element) name=i perfmonitor name=m report=none elements=*")
        harness = Harness(ElementReference(unsafe: pipeline.element("i")), [:], plays: false)!
        #expect(pipeline.go(GST_STATE_PLAYING))
        harness.begin(caps: nil)
    }

    deinit { pipeline.end() }
}
