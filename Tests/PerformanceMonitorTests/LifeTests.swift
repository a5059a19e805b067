import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests that monitors and the elements that they measure can be added and removed at any time.
struct LifeTests {
    private static let live =
        "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 "

    @Test func survivesAHundredStartsAndStops() {
        let pipeline = Pipeline("videotestsrc ! queue ! fakesink name=s sync=true perfmonitor name=m report=none")
        for round in 0..<100 {
            gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
            if round % 3 == 0 { pipeline.go(GST_STATE_PLAYING) }
            // The pipeline discards its messages when its state becomes NULL, so the test reads them in READY.
            pipeline.go(GST_STATE_READY)
            #expect(pipeline.listen(seconds: 0) == [])
            pipeline.end()
        }
        #expect(pipeline.go(GST_STATE_PLAYING))
        pipeline.end()
        #expect(pipeline.hasFigures(of: "s"))
    }

    @Test func removedElementsAreFreed() {
        let pipeline = Pipeline(Self.live + "! fakesink name=s perfmonitor name=m report=none")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let freed = FreedObjects()
        for _ in 0..<10 {
            let element = gst_element_factory_make("identity", nil)!
            freed.follow(element)
            gst_bin_add(pipeline.bin, element)
            gst_element_sync_state_with_parent(element)
            gst_element_set_locked_state(element, 1)
            gst_element_set_state(element, GST_STATE_NULL)
            gst_bin_remove(pipeline.bin, element)
        }
        // Messages hold a reference to their source.
        let isFreed = eventually {
            _ = pipeline.elementMessages()
            _ = pipeline.listen(seconds: 0)
            return freed.count == 10
        }
        #expect(isFreed)
        pipeline.end()
    }

    @Test func figuresRiseThroughChangesOfEnabled() {
        let pipeline = Pipeline(Self.live + "! queue name=q ! fakesink name=s perfmonitor name=m report=none")
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("q", "in") ?? 0 > 50 })
        let before = pipeline.figure("q", "in") ?? 0
        for round in 1...100 { pipeline.set("enabled", to: round % 2 == 0 ? "true" : "false", of: "m") }
        let sink = PadRecorder(pipeline)
        #expect(eventually { sink.frames > 20 })
        pipeline.go(GST_STATE_READY)
        #expect(pipeline.listen(seconds: 0) == [])
        pipeline.end()
        #expect(pipeline.figure("q", "in") ?? 0 >= before + 20)
        #expect(pipeline.figure("q", "dropped") == 0)
    }

    @Test func nothingIsMeasuredWhileDisabled() {
        let pipeline = Pipeline(Self.live + "! fakesink name=s perfmonitor name=m report=none enabled=false")
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { sink.frames > 20 })
        pipeline.end()
        #expect(!pipeline.hasFigures(of: "s"))
    }

    @Test func measuresAPipelineThatAlreadyPlays() {
        let pipeline = Pipeline(Self.live + "! fakesink name=s")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let monitor = gst_element_factory_make("perfmonitor", "m")!
        monitor.set("report", to: "none")
        gst_object_ref(monitor)
        defer { gst_object_unref(monitor) }
        gst_bin_add(pipeline.bin, monitor)
        #expect(gst_element_sync_state_with_parent(monitor) != 0)
        #expect(eventually { monitor.figure("s", "in") ?? 0 > 20 })
        #expect(monitor.figure("s", "age-coverage") ?? 0 > 0.9)
        // A monitor that has been removed no longer measures, and the pipeline continues to play.
        gst_element_set_locked_state(monitor, 1)
        gst_element_set_state(monitor, GST_STATE_NULL)
        gst_bin_remove(pipeline.bin, monitor)
        let counted = monitor.figure("s", "in")
        let sink = PadRecorder(pipeline)
        // 150 frames take 1.5 s, which is longer than the second between two readings of a monitor.
        #expect(eventually { sink.frames > 150 })
        #expect(monitor.figure("s", "in") == counted)
        pipeline.end()
    }

    @Test func twoMonitorsCountTheSame() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=50 ! queue name=q ! fakesink name=s perfmonitor name=m report=none perfmonitor name=n report=none"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        for monitor in ["m", "n"] { #expect(pipeline.figure("q", "out", monitor: monitor) == 50) }
    }

    @Test func measuresTheWholePipelineFromInsideABin() {
        let pipeline = Pipeline("videotestsrc num-buffers=50 ! fakesink name=s ( perfmonitor name=m report=none )")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("s", "in") == 50)
    }

    @Test func isHarmlessAlone() {
        let pipeline = Pipeline("pipeline. ( perfmonitor name=m report=none )")
        #expect(pipeline.go(GST_STATE_PLAYING))
        pipeline.go(GST_STATE_READY)
        #expect(pipeline.listen(seconds: 0) == [])
        pipeline.end()
    }

    @Test func outsideOfAPipelineIsOneError() {
        let monitor = TestElement("perfmonitor")
        #expect(gst_element_set_state(monitor.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let posted = monitor.messages()
        #expect(posted.map(\.type) == ["error"])
        #expect(posted.first?.text == "perfmonitor is not in a pipeline, so there is nothing to measure.")
    }

    /// A monitor that cannot start must not keep a reference to its pipeline.
    @Test func pipelineIsFreedAfterAFailedStart() {
        let freed = FreedObjects()
        do {
            let pipeline = Pipeline("videotestsrc ! fakesink perfmonitor report=none log-file=/nonexistent/log")
            freed.follow(pipeline.raw)
            let text = "error: The log-file \"/nonexistent/log\" cannot be opened"
            #expect(pipeline.play().contains { $0.hasPrefix(text) })
        }
        #expect(freed.count == 1)
    }

    @Test func pipelineIsFreedAfterARun() {
        let freed = FreedObjects()
        do {
            let pipeline = Pipeline("videotestsrc num-buffers=20 ! queue ! fakesink perfmonitor report=none")
            freed.follow(pipeline.raw)
            #expect(pipeline.play() == ["eos"])
        }
        #expect(freed.count == 1)
    }
}
