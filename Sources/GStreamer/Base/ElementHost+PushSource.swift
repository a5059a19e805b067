import CGStreamer

// These functions require the host of a `PushSource`.

extension ElementHost {
    /// Calls `body` with the source; returns false if the source no longer exists.
    private func withSource(_ body: (UnsafeMutablePointer<GstBaseSrc>) -> gboolean) -> Bool {
        withUnsafePointer { body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstBaseSrc.self)) != 0 } ?? false
    }

    /// Changes the caps of a source; call this in `create`, before `create` returns the first buffer with these caps.
    ///
    /// Returns false if downstream refuses them. The corresponding C function is `gst_base_src_set_caps`.
    public func setSourceCaps(_ caps: Caps) -> Bool { withSource { gst_base_src_set_caps($0, caps.raw) } }

    /// Pushes the SEGMENT event of a source now; call this in `create`, after `setSourceCaps`.
    ///
    /// Without this call, the event is pushed after `create` has returned the first buffer. After this call, events
    /// that must follow a segment, such as GAP and TAG, can be pushed. GstBaseSrc pushes the same segment again with
    /// the next buffer; the second segment has no effect downstream. Returns false if downstream refuses the event.
    @discardableResult
    public func pushSourceSegment() -> Bool {
        withSource { gst_pad_push_event($0.pointee.srcpad, gst_event_new_segment(&$0.pointee.segment)) }
    }

    /// Flushes downstream; the source continues with a SEGMENT event and the next buffer.
    ///
    /// Any thread except the streaming thread may call this, for example the thread that receives the data. The method
    /// sends FLUSH_START, calls `unlock`, waits until `create` has returned, calls `unlockStop`, and sends FLUSH_STOP.
    /// Unless `resetsTime` is true, the running time continues as without a flush. Returns false if downstream refuses
    /// one of the events. The corresponding C method is `send_event` of `GstBaseSrc`.
    @discardableResult
    public func flushSource(resetsTime: Bool = false) -> Bool {
        guard let start = Event.flushStart(), let stop = Event.flushStop(after: start, resetsTime: resetsTime) else {
            return false
        }
        let hasStarted = parentSendEvent(start)
        return parentSendEvent(stop) && hasStarted
    }

    /// Pushes a serialized event of a source, such as TAG, before the next buffer; any thread may call this.
    ///
    /// A flush discards the event. Returns false if a source does not push events of this type. The corresponding C
    /// method is `send_event` of `GstBaseSrc`.
    @discardableResult
    public func pushWithNextBuffer(_ event: consuming Event) -> Bool { parentSendEvent(event) }
}
