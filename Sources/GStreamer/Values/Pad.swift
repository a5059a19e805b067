import CGStreamer

/// One of an element's pads; the element owns it, so it outlives whoever the element hands it to.
///
/// Any thread may use it. The corresponding C type is `GstPad`.
public struct Pad: @unchecked Sendable {  // Pads guard themselves.
    let raw: UnsafeMutablePointer<GstPad>

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

    /// Whether the source upstream is live, as its answer to a LATENCY query says; nil when nobody answers.
    public func askWhetherLive() -> Bool? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(raw, query) != 0 ? Query(raw: query).latency.isLive : nil
    }

    public var isActive: Bool { gst_pad_is_active(raw) != 0 }
    /// Whether it is active and sends, or receives, by itself.
    public var isInPushMode: Bool { cgst_pad_is_push(raw) != 0 }

    /// Has the element's `runTask` called again and again, on a thread of the pad's own.
    public func startTask() -> Bool {
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return false }
        // The task ends before the pad loses its parent: the pad is deactivated first.
        defer { gst_object_unref(parent) }
        return gst_pad_start_task(raw, { runTask($0) }, parent, nil) != 0
    }

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
