import CGStreamer
public import GStreamer

/// Flushes an element behind a decoder without a source pad when the source in front of the decoder is flushed.
///
/// If the decoder is replaced during a flush, the elements behind it have received only FLUSH_START.
public final class FlushRelay: @unchecked Sendable {  // GstPad protects its probes.
    private let source: UnsafeMutablePointer<GstPad>
    private let probe: gulong

    private final class Target: @unchecked Sendable {  // GstPad is MT safe.
        let pad: UnsafeMutablePointer<GstPad>
        init(_ pad: UnsafeMutablePointer<GstPad>) { self.pad = pad }
        deinit { gst_object_unref(pad) }

        func flush() {
            guard gst_pad_is_linked(pad) == 0 else { return }
            gst_pad_send_event(pad, gst_event_new_flush_start())
            gst_pad_send_event(pad, gst_event_new_flush_stop(0))
        }
    }

    /// Observes the pad `src` of `element` until it is released, and flushes the pad `sink` of `other`; nil without
    /// these pads.
    public init?(_ element: ElementReference, to other: ElementReference) {
        guard let source = FlushRelay.pad("src", element), let sink = FlushRelay.pad("sink", other) else { return nil }
        self.source = source
        probe = gst_pad_add_probe(
            source, GST_PAD_PROBE_TYPE_EVENT_FLUSH,
            { _, info, target in
                let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self)
                if let target, event?.pointee.type == GST_EVENT_FLUSH_STOP {
                    Unmanaged<Target>.fromOpaque(target)._withUnsafeGuaranteedRef { $0.flush() }
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(Target(sink)).toOpaque(), { Unmanaged<Target>.fromOpaque($0!).release() })
    }

    deinit {
        gst_pad_remove_probe(source, probe)
        gst_object_unref(source)
    }

    private static func pad(_ name: String, _ element: ElementReference) -> UnsafeMutablePointer<GstPad>? {
        element.withUnsafePointer { gst_element_get_static_pad($0, name) }
    }
}
