public import CGStreamer
public import GStreamer

/// Probes on the sink pads downstream of a pad, called for the buffers that enter each element.
///
/// The probes exist as long as this object. They run for every frame, so the object should exist only briefly. The
/// corresponding C function is `gst_pad_add_probe`.
public final class EntryProbes: @unchecked Sendable {  // The pads are referenced, and GstPad protects its probes.
    /// Called on streaming threads for each buffer that enters an element.
    public typealias Handler = @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void

    private final class Entry {
        private let enters: Handler

        init(_ enters: @escaping Handler) { self.enters = enters }

        func see(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                if let buffer = gst_pad_probe_info_get_buffer(info) { enters(buffer) }
            } else if let list = gst_pad_probe_info_get_buffer_list(info) {
                for index in 0..<gst_buffer_list_length(list) {
                    if let buffer = gst_buffer_list_get(list, index) { enters(buffer) }
                }
            }
        }
    }

    private var probes: [(pad: UnsafeMutablePointer<GstPad>, id: gulong)] = []

    /// Calls `handler` for each pad downstream, and adds a probe if it returns a closure; locks the elements briefly.
    public init(behind source: borrowing Pad, _ handler: (ElementReference, borrowing Pad) -> Handler?) {
        source.forEachLinkedElement { element, pad in
            // A pad is visited several times if several paths lead to it.
            let isKnown = pad.withUnsafePointer { raw in probes.contains { $0.pad == raw } }
            guard !isKnown, let enters = handler(element, pad) else { return true }
            pad.withUnsafePointer { add($0, Entry(enters)) }
            return true
        }
    }

    private func add(_ pad: UnsafeMutablePointer<GstPad>, _ entry: Entry) {
        gst_object_ref(pad)
        let id = gst_pad_add_probe(
            pad, cgst_probe_frames(),
            { _, info, data in
                guard let info, let data else { return GST_PAD_PROBE_OK }
                Unmanaged<Entry>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.see(info) }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(entry).toOpaque(), { Unmanaged<Entry>.fromOpaque($0!).release() })
        probes.append((pad, id))
    }

    deinit {
        for probe in probes {
            if probe.id != 0 { gst_pad_remove_probe(probe.pad, probe.id) }
            gst_object_unref(probe.pad)
        }
    }
}
