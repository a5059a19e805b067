import CGStreamer
import GstTestSupport
import TestSupport

/// A pipeline with a `thermalcaps` named `p` on a machine whose temperature the test sets.
final class ThermalRig: Sendable {
    let pipeline: Pipeline
    let machine: FakeMachine
    let input: PadRecorder
    let output: PadRecorder

    /// Settings that shorten the times, which are seconds by default, to hundredths of a second.
    static let quick = "poll-interval=10000000 down-dwell=50000000 up-dwell=50000000 forecast=0 "

    init(
        _ before: String = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1",
        _ settings: String = "",
        _ after: String = "fakesink", machine: FakeMachine = FakeMachine(),
        root: (FakeMachine) -> String = { "sensor-root=\($0.root)" }
    ) {
        self.machine = machine
        let element = "thermalcaps name=p \(root(machine)) \(Self.quick) min-height=60 min-framerate=5 \(settings)"
        pipeline = Pipeline("\(before) ! \(element) ! \(after)")
        input = PadRecorder(pipeline, "p", pad: "sink")
        output = PadRecorder(pipeline, "p", pad: "src")
    }

    func play() { gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) }

    var action: String { text("current-action") }
    var reasons: String { text("limitation-reasons") }
    var level: String { pipeline.get("level") }

    func sendUpstream(_ name: String, reason: String?, duration: String? = nil) -> Bool {
        let text = name + (reason.map { ", reason=(string)\($0)" } ?? "") + (duration.map { ", duration=\($0)" } ?? "")
        let event = gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string(text, nil))
        return gst_element_send_event(pipeline.element(), event) != 0
    }

    /// Sets a string property to a text that `gst-launch-1.0` might not parse.
    func setText(_ property: String, to text: String) { pipeline.element().set(string: property, to: text) }

    /// The value of a property without the quotes of a serialized string.
    private func text(_ property: String) -> String { pipeline.get(property).filter { $0 != "\"" && $0 != "\\" } }
}
