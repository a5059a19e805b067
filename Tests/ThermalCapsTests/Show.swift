import CGStreamer
import Foundation
import MachineSupport
import StageSupport
import Synchronization

/// A pipeline with a `thermalcaps` called p in it, and what leaves and enters it.
final class Show: Sendable {
    /// What went through one pad of the element.
    final class Seen: Sendable {
        struct State {
            var caps: [String] = []
            var frameSize: gsize = 0
            var frames = 0
            var wrongFrames = 0
        }

        let state = Mutex(State())

        var caps: [String] { state.withLock { $0.caps } }
        var frames: Int { state.withLock { $0.frames } }
        var wrongFrames: Int { state.withLock { $0.wrongFrames } }
        /// Width, height and rate of the last caps, such as `320x240@30/1`.
        var last: String { caps.last ?? "" }
    }

    let stage: Stage
    let machine: FakeMachine
    let input = Seen()
    let output = Seen()

    /// Quick settings: what takes seconds takes hundredths.
    static let quick = "poll-interval=10000000 down-dwell=50000000 up-dwell=50000000 forecast=0 "

    init(
        _ before: String = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1",
        _ settings: String = "",
        _ after: String = "fakesink", machine: FakeMachine = FakeMachine(),
        root: (FakeMachine) -> String = { "sensor-root=\($0.root)" }
    ) {
        self.machine = machine
        stage = Stage(
            "\(before) ! thermalcaps name=p \(root(machine)) \(Self.quick) min-height=60 min-framerate=5 \(settings) ! \(after)"
        )
        watch("sink", input)
        watch("src", output)
    }

    func play() { gst_element_set_state(stage.pipeline, GST_STATE_PLAYING) }

    /// Waits for something to become true; false when it does not within ten seconds.
    func becomes(_ isTrue: () -> Bool) -> Bool {
        for _ in 0..<1000 {
            if isTrue() { return true }
            g_usleep(10_000)
        }
        return isTrue()
    }

    var action: String { text("current-action") }
    var reasons: String { text("limitation-reasons") }
    var level: String { stage.get("level") }

    func sendUpstream(_ name: String, reason: String?, duration: String? = nil) -> Bool {
        let text = name + (reason.map { ", reason=(string)\($0)" } ?? "") + (duration.map { ", duration=\($0)" } ?? "")
        let event = gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string(text, nil))
        return gst_element_send_event(stage.element(), event) != 0
    }

    /// Sets a property to a text as it is, which GStreamer's own reader of values may not understand.
    func setText(_ property: String, to text: String) {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gchararray"))
        g_value_set_string(&value, text)
        let object = UnsafeMutableRawPointer(stage.element()).assumingMemoryBound(to: GObject.self)
        g_object_set_property(object, property, &value)
        g_value_unset(&value)
    }

    /// Without what GStreamer writes around a text.
    private func text(_ property: String) -> String { stage.get(property).filter { $0 != "\"" && $0 != "\\" } }

    private func watch(_ name: String, _ seen: Seen) {
        let pad = gst_element_get_static_pad(stage.element(), name)
        let types = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: types),
            { _, info, seen in
                Unmanaged<Seen>.fromOpaque(seen!).takeUnretainedValue().note(info!.pointee)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(seen).toOpaque(), { Unmanaged<Seen>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }
}

extension Show.Seen {
    fileprivate func note(_ info: GstPadProbeInfo) {
        let data = UnsafeMutableRawPointer(info.data)!
        if info.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            let size = gst_buffer_get_size(data.assumingMemoryBound(to: GstBuffer.self))
            return state.withLock { state in
                state.frames += 1
                if size != state.frameSize { state.wrongFrames += 1 }
            }
        }
        let event = data.assumingMemoryBound(to: GstEvent.self)
        guard event.pointee.type == GST_EVENT_CAPS else { return }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        var info = GstVideoInfo()
        gst_video_info_from_caps(&info, caps)
        let size = info.size
        let text = "\(info.width)x\(info.height)@\(info.fps_n)/\(info.fps_d)"
        state.withLock { state in
            state.frameSize = size
            state.caps.append(text)
        }
    }
}
