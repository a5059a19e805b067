import CGStreamer
import GstTestSupport
import Synchronization

/// Counts the events `quality-degrade` with the given reason that pass the sink pad of an element.
final class RequestCount: Sendable {
    private let cell = Atomic<Int>(0)
    private let reason: String

    var count: Int { cell.load(ordering: .relaxed) }

    init(_ pipeline: Pipeline, _ element: String, reason: String) {
        self.reason = reason
        let pad = gst_element_get_static_pad(pipeline.element(element), "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                let requests = Unmanaged<RequestCount>.fromOpaque(data!).takeUnretainedValue()
                let event = UnsafeMutableRawPointer(info!.pointee.data)!.assumingMemoryBound(to: GstEvent.self)
                if let structure = gst_event_get_structure(event),
                    gst_structure_has_name(structure, "quality-degrade") != 0,
                    gst_structure_get_string(structure, "reason").map({ String(cString: $0) }) == requests.reason
                {
                    requests.cell.add(1, ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<RequestCount>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }
}
