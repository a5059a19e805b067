import CGStreamer
import GstTestSupport

/// A pipeline with a virtual DAC and without a server, with a thread that handles the bus messages.
final class DevicePipeline {
    let pipeline: Pipeline
    let bus: BusWatch

    init(_ line: String) {
        _ = SendspinSetup.once
        pipeline = Pipeline(line)
        bus = BusWatch(pipeline.raw)
    }

    deinit {
        pipeline.go(GST_STATE_NULL)
        bus.end()
    }

    func start() { gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) }

    /// Waits until the sink `s` has measured the errors of `count` more frames of the ramp.
    func plays(_ count: Double) -> Bool {
        let end = pipeline.statistic("error-count", of: "s") + count
        return eventually { pipeline.statistic("error-count", of: "s") > end }
    }

    /// The property `slave-method` of an element.
    func slaveMethod(of name: String = "s") -> String { pipeline.get("slave-method", of: name) }
}
