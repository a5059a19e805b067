import CGStreamer
import GstTestSupport
import Synchronization

/// The names of the events and buffers that pass a pad, in their order.
final class StreamOrder: Sendable {
    private let names = Mutex<[String]>([])

    init(_ pipeline: Pipeline, _ element: String, pad: String = "sink") {
        let pad = gst_element_get_static_pad(pipeline.element(element), pad)!
        let types =
            GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
            | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: types),
            { _, info, order in
                Unmanaged<StreamOrder>.fromOpaque(order!).takeUnretainedValue().append(info!.pointee)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<StreamOrder>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    /// All names, such as `caps`, `tag` or `buffer 7`, where 7 is the first byte of the buffer.
    ///
    /// The name of a FLUSH_STOP event that resets the running time is `reset`.
    var all: [String] { names.withLock { $0 } }

    /// Waits until `name` has passed `count` times; false if the limit of time passes before.
    func contains(_ name: String, count: Int = 1) -> Bool {
        eventually { names.withLock { $0.count { $0 == name } >= count } }
    }

    private func append(_ info: GstPadProbeInfo) {
        let data = UnsafeMutableRawPointer(info.data)!
        if info.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue != 0 {
            let event = data.assumingMemoryBound(to: GstEvent.self)
            var resetsTime: gboolean = 0
            if event.pointee.type == GST_EVENT_FLUSH_STOP { gst_event_parse_flush_stop(event, &resetsTime) }
            if resetsTime != 0 { return names.withLock { $0.append("reset") } }
        }
        let name =
            info.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0
            ? "buffer " + (data.assumingMemoryBound(to: GstBuffer.self).bytes.first.map { "\($0)" } ?? "")
            : String(cString: gst_event_type_get_name(data.assumingMemoryBound(to: GstEvent.self).pointee.type))
        names.withLock { $0.append(name) }
    }
}
