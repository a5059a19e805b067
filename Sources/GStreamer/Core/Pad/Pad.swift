public import CGStreamer

/// One reference to a pad of an element.
///
/// The reference remains valid after the pad is removed from its element. Any thread may use it. The corresponding C
/// type is `GstPad`.
public struct Pad: ~Copyable, @unchecked Sendable {  // GstPad has its own mutex.
    let raw: UnsafeMutablePointer<GstPad>
    /// Parent of the pad during a call of `chain` or `loop`, which keeps the parent alive; nil for other calls.
    private let element: UnsafeMutablePointer<GstObject>?

    /// Takes the caller's reference.
    init(taking raw: UnsafeMutablePointer<GstPad>, calling element: UnsafeMutablePointer<GstObject>? = nil) {
        self.raw = raw
        self.element = element
    }

    /// Takes another reference.
    init(retaining raw: UnsafeMutablePointer<GstPad>, calling element: UnsafeMutablePointer<GstObject>? = nil) {
        self.init(taking: raw, calling: element)
        gst_object_ref(raw)
    }

    deinit { gst_object_unref(raw) }

    /// Another reference to the pad.
    ///
    /// The corresponding C function is `gst_object_ref`.
    public func retained() -> Pad { Pad(retaining: raw) }

    /// Ends a value that `init(taking:)` made for one call, without releasing the reference.
    consuming func giveBack() { discard self }

    /// Whether both are references to the same pad.
    public static func == (left: borrowing Pad, right: borrowing Pad) -> Bool { left.raw == right.raw }

    /// The name, such as `sink`.
    ///
    /// The corresponding C function is `gst_pad_get_name`.
    public var name: String { GStreamer.name(of: raw) }

    /// The names of element and pad, such as `x264enc0:src`; the getter allocates memory.
    ///
    /// The corresponding C macro is `GST_DEBUG_PAD_NAME`.
    public var fullName: String {
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return name }
        defer { gst_object_unref(parent) }
        return "\(GStreamer.name(of: parent)):\(name)"
    }

    /// Address of the pad, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// Calls `body` with the C pad, which is valid during the call.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstPad>) throws -> R) rethrows -> R { try body(raw) }

    /// Whether buffers enter the element through the pad.
    public var isSink: Bool { gst_pad_get_direction(raw) == GST_PAD_SINK }

    /// Whether the pad rejects data: between FLUSH_START and FLUSH_STOP, or while it is not active.
    ///
    /// The corresponding C macro is `GST_PAD_IS_FLUSHING`.
    public var isFlushing: Bool { cgst_pad_is_flushing(raw) != 0 }

    /// Whether another thread processes a buffer, or a serialized event or query, of this sink pad.
    public var isStreaming: Bool { cgst_pad_is_streaming(raw) != 0 }

    /// Whether the pad stores a SEGMENT event, as after the start of a stream; a flush removes the event.
    ///
    /// The corresponding C function is `gst_pad_get_sticky_event`.
    public var hasSegment: Bool {
        guard let event = gst_pad_get_sticky_event(raw, GST_EVENT_SEGMENT, 0) else { return false }
        gst_event_unref(event)
        return true
    }

    /// Makes the pad answer CAPS and ACCEPT_CAPS queries with the caps of the pads on the other side of the element.
    ///
    /// The corresponding C macro is `GST_PAD_SET_PROXY_CAPS`.
    public func proxyCaps() { cgst_pad_set_proxy_caps(raw) }

    /// Handles an event with the default event function, which forwards most events to the other pads.
    ///
    /// The corresponding C function is `gst_pad_event_default`.
    public func handleByDefault(_ event: consuming Event) -> Bool {
        let event = event.give()
        guard let isHandled = withParent({ gst_pad_event_default(raw, $0, event) != 0 }) else {
            gst_event_unref(event)
            return false
        }
        return isHandled
    }

    /// Answers a query with the default query function, which forwards most queries to the other pads.
    ///
    /// The corresponding C function is `gst_pad_query_default`.
    public func answerByDefault(_ query: borrowing Query) -> Bool {
        let query = query.raw
        return withParent { gst_pad_query_default(raw, $0, query) != 0 } ?? false
    }

    /// Emits a signal without arguments from the element that the pad belongs to; the emission does not allocate.
    ///
    /// In `chain` and `loop`, it costs less than `ElementHost.emit`. Handlers may call any function, so hold no mutex.
    public func emit(_ signal: Signal) { _ = withParent { _ = signal.emit(from: $0, []) } }

    /// The running time of the element that the pad belongs to; nil without a clock, as before PLAYING.
    ///
    /// In `chain` and `loop`, this costs less than `ElementHost.runningTime`. The corresponding C function is
    /// `gst_element_get_current_running_time`.
    public var runningTime: Duration? {
        withParent {
            let element = UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstElement.self)
            return Duration(gst_element_get_current_running_time(element))
        } ?? nil
    }

    /// Calls `body` with the parent of the pad; returns nil if the pad has no parent.
    private func withParent<Result>(_ body: (UnsafeMutablePointer<GstObject>) -> Result) -> Result? {
        if let element { return body(element) }
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return nil }
        defer { gst_object_unref(parent) }
        return body(parent)
    }

    /// Pushes a buffer to the peer pad, and returns the result of downstream.
    ///
    /// For the streaming thread of a source pad. The call lasts as long as downstream processes the buffer, so hold no
    /// mutex. The corresponding C function is `gst_pad_push`.
    public func push(_ buffer: consuming Buffer) -> FlowResult { FlowResult(gst_pad_push(raw, buffer.give())) }

    /// Pushes a buffer list to the peer pad, and returns the result of downstream.
    ///
    /// For the streaming thread of a source pad. The call lasts as long as downstream processes the list, so hold no
    /// mutex. The corresponding C function is `gst_pad_push_list`.
    public func push(_ list: consuming BufferList) -> FlowResult { FlowResult(gst_pad_push_list(raw, list.give())) }

    /// Pushes an event to the peer pad: downstream from a source pad, upstream from a sink pad.
    ///
    /// Returns false if the peer does not handle it. Push a serialized event on the streaming thread, without a mutex.
    /// The corresponding C function is `gst_pad_push_event`.
    @discardableResult
    public func push(_ event: consuming Event) -> Bool { gst_pad_push_event(raw, event.give()) != 0 }

    /// Sends an event to the pad itself: downstream to a sink pad, upstream to a source pad.
    ///
    /// Returns false if the element does not handle it.
    /// The corresponding C function is `gst_pad_send_event`.
    @discardableResult
    public func send(_ event: consuming Event) -> Bool { gst_pad_send_event(raw, event.give()) != 0 }

    /// Stores a sticky event; the pad pushes the event before the next buffer.
    ///
    /// The corresponding C function is `gst_pad_store_sticky_event`.
    public func store(_ event: borrowing Event) { gst_pad_store_sticky_event(raw, event.raw) }

    /// Sends a query to the peer pad; false if the peer does not answer.
    ///
    /// The corresponding C function is `gst_pad_peer_query`.
    public func queryPeer(_ query: borrowing Query) -> Bool { gst_pad_peer_query(raw, query.raw) != 0 }

    /// Links a source pad to a sink pad; false if the pads are not compatible or one of them has a peer.
    ///
    /// The corresponding C function is `gst_pad_link`.
    public func link(to sink: borrowing Pad) -> Bool { gst_pad_link(raw, sink.raw) == GST_PAD_LINK_OK }

    /// Whether the pad has a peer.
    ///
    /// The corresponding C function is `gst_pad_is_linked`.
    public var isLinked: Bool { gst_pad_is_linked(raw) != 0 }
    /// Whether the pad can pass data, as from READY to PAUSED until PAUSED to READY.
    ///
    /// The corresponding C function is `gst_pad_is_active`.
    public var isActive: Bool { gst_pad_is_active(raw) != 0 }
    /// Whether the pad is active in push mode.
    ///
    /// The corresponding C macro is `GST_PAD_MODE`.
    public var isInPushMode: Bool { cgst_pad_is_push(raw) != 0 }

    /// Pauses the task after the current call of `loop`; a caller on another thread waits until that call returns.
    ///
    /// Returns false if the pad has no task.
    /// The corresponding C function is `gst_pad_pause_task`.
    @discardableResult
    public func pauseTask() -> Bool { gst_pad_pause_task(raw) != 0 }

    /// Stops the task and waits until it ends; returns false if that fails, as on the thread of the task itself.
    ///
    /// The corresponding C function is `gst_pad_stop_task`.
    public func stopTask() -> Bool { gst_pad_stop_task(raw) != 0 }

    /// Calls `body` with the stream lock of the pad locked: no other thread processes a buffer or serialized event.
    ///
    /// The corresponding C macro is `GST_PAD_STREAM_LOCK`.
    public func whileNotStreaming(_ body: () -> Void) {
        cgst_pad_stream_lock(raw)
        body()
        cgst_pad_stream_unlock(raw)
    }
}

/// A copyable reference to a pad, for collections of pads.
public final class PadReference: Sendable, Equatable {
    /// The referenced pad.
    public let pad: Pad

    /// Takes another reference to `pad`.
    public init(_ pad: borrowing Pad) { self.pad = pad.retained() }

    /// Whether both are references to the same pad.
    public static func == (left: PadReference, right: PadReference) -> Bool { left.pad == right.pad }
}
