import CGStreamer
import GstTestSupport
import Testing

/// Tests properties that are set in READY, in which the monitor has already added its probes.
@Suite struct ReadyTests {
    @Test func propertiesThatThreadsSetInReadyLeaveNoProbe() {
        let pipeline = Pipeline("fakesrc ! identity ! fakesink name=s perfmonitor name=m report=none")
        for _ in 0..<5 {
            pipeline.go(GST_STATE_READY)
            let setters = ["*", "fakesink"].map { first in
                TestThread {
                    for round in 0..<100 { pipeline.set("elements", to: round % 2 == 0 ? first : "identity", of: "m") }
                }
            }
            pipeline.go(GST_STATE_NULL)
            for setter in setters { setter.join() }
            pipeline.go(GST_STATE_READY)
            pipeline.go(GST_STATE_NULL)
        }
        let sink = gst_bin_get_by_name(pipeline.bin, "s")!
        let pad = gst_element_get_static_pad(sink, "sink")!
        #expect(pad.pointee.num_probes == 0)
        gst_object_unref(pad)
        gst_object_unref(sink)
        pipeline.end()
    }
}
