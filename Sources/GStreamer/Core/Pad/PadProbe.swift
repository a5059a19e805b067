import CGStreamer

/// Calls a closure for all buffers and downstream events that pass a pad, or only for the buffers or the events.
///
/// The closure runs before the data passes: buffers on the streaming thread, events on any thread. The closure must not
/// block. The corresponding C type is `GstPadProbe`.
public final class PadProbe: @unchecked Sendable {  // GstPad protects its probes.
    /// The data that passes.
    public enum Item: Sendable, Equatable {
        /// One event of this kind.
        case event(Event.Kind)
        /// A buffer or a list, with its size in bytes; `lastTime` is the PTS of the last buffer, nil if it has none.
        case buffers(count: Int, bytes: Int, lastTime: Duration?)
    }

    private let pad: UnsafeMutablePointer<GstPad>
    private let probe: gulong

    private final class Handler: Sendable {
        let passes: @Sendable (Item) -> Void
        init(_ passes: @escaping @Sendable (Item) -> Void) { self.passes = passes }

        func handle(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0 {
                guard let event = info.pointee.data?.assumingMemoryBound(to: GstEvent.self) else { return }
                return passes(.event(Event(taking: gst_event_ref(event)).kind))
            }
            var count: guint = 0
            var time: GstClockTime = 0
            let bytes = cgst_probe_bytes(info, &count, &time)
            passes(.buffers(count: Int(count), bytes: Int(bytes), lastTime: valid(time).map { .nanoseconds($0) }))
        }
    }

    /// Adds a probe to the pad `name` of `element` until the object is released; nil if there is no such pad.
    ///
    /// The corresponding C function is `gst_pad_add_probe`.
    public init?(_ element: ElementReference, pad name: String, _ passes: @escaping @Sendable (Item) -> Void) {
        guard let pad = gst_element_get_static_pad(element.raw, name) else { return nil }
        self.pad = pad
        probe = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM,
            { _, info, data in
                if let info, let data {
                    Unmanaged<Handler>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.handle(info) }
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(Handler(passes)).toOpaque(),
            { Unmanaged<Handler>.fromOpaque($0!).release() })
    }

    private final class BufferHandler: Sendable {
        let passes: @Sendable (borrowing Buffer) -> Void
        init(_ passes: @escaping @Sendable (borrowing Buffer) -> Void) { self.passes = passes }

        func handle(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                gst_pad_probe_info_get_buffer(info).map { passes(Buffer(taking: gst_buffer_ref($0))) }
            } else if let list = gst_pad_probe_info_get_buffer_list(info) {
                for index in 0..<gst_buffer_list_length(list) {
                    gst_buffer_list_get(list, index).map { passes(Buffer(taking: gst_buffer_ref($0))) }
                }
            }
        }
    }

    /// Adds a probe to `pad` that receives each buffer, also those of lists, until the object is released.
    ///
    /// The corresponding C function is `gst_pad_add_probe`.
    public init(_ pad: borrowing Pad, buffers passes: @escaping @Sendable (borrowing Buffer) -> Void) {
        self.pad = pad.withUnsafePointer {
            gst_object_ref($0)
            return $0
        }
        probe = gst_pad_add_probe(
            self.pad, cgst_probe_frames(),
            { _, info, data in
                if let info, let data {
                    Unmanaged<BufferHandler>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.handle(info) }
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(BufferHandler(passes)).toOpaque(),
            { Unmanaged<BufferHandler>.fromOpaque($0!).release() })
    }

    private final class EventHandler: Sendable {
        let passes: @Sendable (Event.Kind) -> Bool
        init(_ passes: @escaping @Sendable (Event.Kind) -> Bool) { self.passes = passes }
    }

    /// Adds a probe for downstream events, including those of a flush; if `passes` returns false, the event is dropped.
    ///
    /// The corresponding C function is `gst_pad_add_probe`.
    public init?(
        _ element: ElementReference, pad name: String, events passes: @escaping @Sendable (Event.Kind) -> Bool
    ) {
        guard let pad = gst_element_get_static_pad(element.raw, name) else { return nil }
        self.pad = pad
        let mask = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        probe = gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: mask),
            { _, info, data in
                guard let data, let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self) else {
                    return GST_PAD_PROBE_OK
                }
                let kind = Event(taking: gst_event_ref(event)).kind
                let passes = Unmanaged<EventHandler>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.passes(kind) }
                return passes ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }, Unmanaged.passRetained(EventHandler(passes)).toOpaque(),
            { Unmanaged<EventHandler>.fromOpaque($0!).release() })
    }

    deinit {
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }
}
