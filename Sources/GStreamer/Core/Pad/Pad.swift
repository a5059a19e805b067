import CGStreamer

/// One of an element's pads.
///
/// The element owns the pad: an always pad lives as long as the element, any other until it is removed. Any thread may
/// use it. The corresponding C type is `GstPad`.
public struct Pad: @unchecked Sendable, Equatable {  // Pads guard themselves.
    let raw: UnsafeMutablePointer<GstPad>

    /// The name, such as `sink`.
    ///
    /// The corresponding C function is `gst_pad_get_name`.
    public var name: String {
        guard let name = gst_object_get_name(&raw.pointee.object) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// The name with that of the element, such as `x264enc0:src`; takes memory.
    ///
    /// The corresponding C macro is `GST_DEBUG_PAD_NAME`.
    public var fullName: String {
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return name }
        defer { gst_object_unref(parent) }
        return "\(ElementHost(raw: UnsafeMutableRawPointer(parent)).name):\(name)"
    }

    /// Distinguishes one pad from another; never followed.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// Gives the C pad for one call.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(raw) }

    /// Whether buffers enter through the pad.
    public var isSink: Bool { gst_pad_get_direction(raw) == GST_PAD_SINK }

    /// Answers CAPS and ACCEPT_CAPS queries with what the pads on the other side of the element allow.
    ///
    /// The corresponding C macro is `GST_PAD_SET_PROXY_CAPS`.
    public func proxyCaps() { cgst_pad_set_proxy_caps(raw) }

    /// Handles an event as an element without an event function does: mostly, forwards it to the other pads.
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

    /// Answers a query as an element without a query function does: mostly, forwards it to the other pads.
    ///
    /// The corresponding C function is `gst_pad_query_default`.
    public func answerByDefault(_ query: Query) -> Bool {
        withParent { gst_pad_query_default(raw, $0, query.raw) != 0 } ?? false
    }

    /// Lends the element that the pad belongs to.
    private func withParent<Result>(_ body: (UnsafeMutablePointer<GstObject>) -> Result) -> Result? {
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return nil }
        defer { gst_object_unref(parent) }
        return body(parent)
    }

    /// Sends a frame on.
    public func push(_ buffer: consuming Buffer) -> FlowResult { FlowResult(gst_pad_push(raw, buffer.give())) }

    /// Sends several frames on.
    public func push(_ list: consuming BufferList) -> FlowResult { FlowResult(gst_pad_push_list(raw, list.give())) }

    /// Sends an event on: downstream from a source pad, upstream from a sink pad.
    @discardableResult
    public func push(_ event: consuming Event) -> Bool { gst_pad_push_event(raw, event.give()) != 0 }

    /// Remembers a sticky event, to be sent before the next frame.
    public func store(_ event: borrowing Event) { gst_pad_store_sticky_event(raw, event.raw) }

    /// Asks the pad this one is linked to.
    public func askPeer(_ query: Query) -> Bool { gst_pad_peer_query(raw, query.raw) != 0 }

    /// Whether the source upstream is live, as its answer to a LATENCY query says; nil when the query fails.
    public func askWhetherLive() -> Bool? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(raw, query) != 0 ? Query(raw: query).latency.isLive : nil
    }

    /// Whether data may flow through the pad.
    public var isActive: Bool { gst_pad_is_active(raw) != 0 }
    /// Whether it is active and sends, or receives, by itself.
    public var isInPushMode: Bool { cgst_pad_is_push(raw) != 0 }

    /// Holds the task after the call under way, and waits for its end unless it is this one.
    @discardableResult
    public func pauseTask() -> Bool { gst_pad_pause_task(raw) != 0 }

    /// Ends the task, and waits for that.
    public func stopTask() -> Bool { gst_pad_stop_task(raw) != 0 }

    /// Does `body` while no frame or serialized event is inside the pad's functions.
    public func whileNotStreaming(_ body: () -> Void) {
        cgst_pad_stream_lock(raw)
        body()
        cgst_pad_stream_unlock(raw)
    }
}
