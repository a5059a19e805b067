import GstTestSupport
import Testing

/// Tests references to a pipeline and its elements, in Python with the plugin of `plugin-build/build`.
@Suite struct ReferenceTests {
    /// Smallest reference counts of 150 readings, because the monitor's thread holds references for short times.
    private func counts(_ line: String, tracer: String = "") throws -> String {
        let script = """
            import gi, sys
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            pipeline = Gst.parse_launch(sys.argv[1])
            watched = [pipeline] + [pipeline.get_by_name(name) for name in ("source", "middle", "sink")]
            pipeline.set_state(Gst.State.PLAYING)
            pipeline.get_state(60 * Gst.SECOND)
            smallest = [1000] * len(watched)
            for _ in range(150):
                smallest = [min(known, element.__grefcount__) for known, element in zip(smallest, watched)]
                pipeline.get_bus().timed_pop_filtered(10 * Gst.MSECOND, Gst.MessageType.ERROR)
            print(smallest)
            pipeline.set_state(Gst.State.NULL)
            """
        let run = try Python(["-c", script, line], ["GST_TRACERS": tracer])
        try #require(run.status == 0, "\(run.output)")
        return run.output
    }

    @Test func monitorHoldsNoReferenceToPipelineAndElements() throws {
        guard try Python.hasGStreamer() else { return }
        let line = "videotestsrc is-live=true name=source ! identity name=middle ! fakesink name=sink"
        let alone = try counts(line)
        #expect(try counts(line, tracer: "perfmonitor-tracer(report=none)") == alone)
        #expect(try counts("\(line) perfmonitor report=none") == alone)
    }

    /// GStreamer warns of a pipeline that is freed while it plays; the tracer must not use a freed pipeline.
    @Test func tracerLeavesAPipelineThatIsFreedWhileItPlays() throws {
        guard try Python.hasGStreamer() else { return }
        let script = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            for _ in range(20):
                pipeline = Gst.Pipeline.new("short")
                pipeline.set_state(Gst.State.PLAYING)
                del pipeline
            print("end")
            """
        let run = try Python(["-c", script], ["GST_TRACERS": "perfmonitor-tracer(report=none)", "G_DEBUG": ""])
        #expect(run.status == 0 && run.output.hasSuffix("end\n"), "\(run.output)")
    }
}
