import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests which elements a monitor measures, and when it begins and stops to measure an element.
@Suite(.serialized) struct MembershipTests {
    private static let live =
        "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 "

    @Test(arguments: [
        ("q,fakesink", ["q", "s"]), ("i*", ["i"]), ("videotest?rc, i", ["o", "i"]), ("*", ["o", "i", "q", "s"]),
        ("absent", []),
    ])
    func theListOfElementsChoosesByNameAndFactory(list: String, measured: [String]) {
        let pipeline = Pipeline(
            "videotestsrc name=o num-buffers=20 ! identity name=i ! queue name=q ! fakesink name=s perfmonitor name=m report=none"
        )
        pipeline.element("m").set(string: "elements", to: list)
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(["o", "i", "q", "s"].filter { pipeline.hasFigures(of: $0) } == measured, "\(list)")
    }

    @Test func fastElementsAreShownOnlyIfTheyAreNamed() {
        for (elements, isShown) in [("", false), ("elements=*", true)] {
            let pipeline = Pipeline(
                "videotestsrc num-buffers=20 ! identity name=i ! fakesink name=s sync=true perfmonitor name=m report=none \(elements)"
            )
            #expect(pipeline.play() == ["eos"])
            pipeline.end()
            #expect(pipeline.hasFigures(of: "i") == isShown && pipeline.hasFigures(of: "s"))
        }
    }

    @Test func framesThatPassWhileItIsDisabledAreNotCounted() {
        let pipeline = Pipeline(
            Self.live + "! queue name=q ! fakesink name=s sync=false perfmonitor name=m report=none")
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("s", "in") ?? 0 > 50 })
        pipeline.set("enabled", to: "false", of: "m")
        let (before, shown) = (sink.frames, pipeline.figure("s", "in"))
        #expect(eventually { sink.frames > before + 200 })
        #expect(pipeline.figure("s", "in") == shown)
        pipeline.set("enabled", to: "true", of: "m")
        let again = sink.frames
        #expect(eventually { sink.frames > again + 50 })
        pipeline.end()
        let counted = pipeline.figure("s", "in") ?? 0
        // Frames may pass between the change of `enabled` and the reading of `sink.frames`.
        let expected = Double(before + sink.frames - again)
        #expect(abs(counted - expected) < 10, "\(counted) of \(sink.frames), not \(expected)")
        #expect(pipeline.figure("q", "dropped") == 0)
    }

    @Test func elementsInsideOfDecodebinAreCounted() {
        let file = Setup.newFolder().appending(path: "a.mkv").path
        let writer = Pipeline(
            "videotestsrc num-buffers=60 ! vp8enc deadline=1 ! matroskamux ! filesink location=\(file)")
        #expect(writer.play() == ["eos"])
        writer.end()
        let pipeline = Pipeline(
            "filesrc location=\(file) ! decodebin ! fakesink name=s perfmonitor name=m report=none elements=*")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let monitor = pipeline.element("m")
        #expect(monitor.figures(ofFactory: "matroskademux", "out") == [60])
        #expect(monitor.figures(ofFactory: "multiqueue", "in") == [60])
        #expect(monitor.figures(ofFactory: "vp8dec", "out") == [60] && pipeline.figure("s", "in") == 60)
    }

    /// The monitor measures an added bin from its first frame on, and keeps the figures when the bin is removed.
    @Test func aBranchThatComesAndGoesIsMeasuredWhole() throws {
        let pipeline = Pipeline(
            Self.live
                + "! tee name=t allow-not-linked=true ! queue ! fakesink name=s perfmonitor name=m report=none elements=*"
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("s", "in") ?? 0 > 20 })
        let branch = Branch("queue name=bq ! identity name=bi ! fakesink name=bs sync=false async=false", to: pipeline)
        let sink = PadRecorder(pipeline, "bs")
        branch.join()
        // 40 frames take 0.4 s, which is shorter than the second between two readings of the monitor.
        #expect(eventually { sink.frames > 40 })
        branch.remove()
        let frames = sink.frames
        #expect(eventually { pipeline.figure("bs", "in") == Double(frames) })
        #expect(pipeline.figure("bi", "out") == Double(frames))
        #expect(try #require(pipeline.figure("bi", "latency-coverage")) > 0.95)
        #expect(try #require(pipeline.figure("bs", "age-coverage")) > 0.95)
        let others = pipeline.figure("s", "in") ?? 0
        #expect(eventually { pipeline.figure("s", "in") ?? 0 > others + 50 })
        pipeline.end()
        #expect(pipeline.figure("bs", "in") == Double(frames))
    }

    /// While an alert is active, `act=vote` requests less quality.
    @Test func theAlertOfABranchThatIsRemovedIsCleared() {
        let pipeline = Pipeline(
            Self.live
                + "! tee name=t allow-not-linked=true ! queue ! fakesink name=s perfmonitor name=m report=none act=vote targets=\"bi: p50=2ms, window=1s, samples=10\""
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        let branch = Branch(
            "queue leaky=downstream max-size-buffers=3 ! identity name=bi sleep-time=15000 ! fakesink sync=false async=false",
            to: pipeline)
        branch.join()
        func hasAlert() -> Bool { pipeline.get("alerts", of: "m").contains("alert-0") }
        #expect(eventually { hasAlert() })
        branch.remove()
        #expect(eventually { !hasAlert() })
        // The message follows the change of the property.
        var posted: [String] = []
        let isPosted = eventually {
            posted += pipeline.listen(seconds: 0)
            return posted.contains { $0.contains("change=(string)cleared") }
        }
        #expect(isPosted, "\(posted)")
        #expect(posted.allSatisfy { $0.hasPrefix("element: performance-alert") }, "\(posted)")
        pipeline.end()
    }
}

/// A bin that a playing pipeline links to its tee `t`.
private struct Branch {
    private let pipeline: Pipeline
    private let bin: RawElement
    private let pad: UnsafeMutablePointer<GstPad>

    init(_ line: String, to pipeline: Pipeline) {
        self.pipeline = pipeline
        bin = UnsafeMutableRawPointer(gst_parse_bin_from_description(line, 1, nil)!).assumingMemoryBound(
            to: GstElement.self)
        pad = gst_element_request_pad_simple(pipeline.element("t"), "src_%u")!
        gst_bin_add(pipeline.bin, bin)
    }

    /// Starts and links the bin.
    func join() {
        let entrance = gst_element_get_static_pad(bin, "sink")!
        #expect(gst_element_sync_state_with_parent(bin) != 0)
        #expect(gst_pad_link(pad, entrance) == GST_PAD_LINK_OK)
        gst_object_unref(entrance)
    }

    /// Unlinks, stops and removes the bin; afterwards no frame is inside it.
    func remove() {
        let entrance = gst_element_get_static_pad(bin, "sink")!
        gst_pad_unlink(pad, entrance)
        gst_object_unref(entrance)
        gst_element_release_request_pad(pipeline.element("t"), pad)
        gst_object_unref(pad)
        gst_object_ref(bin)
        gst_element_set_locked_state(bin, 1)
        gst_element_set_state(bin, GST_STATE_NULL)
        gst_bin_remove(pipeline.bin, bin)
        gst_object_unref(bin)
    }
}
