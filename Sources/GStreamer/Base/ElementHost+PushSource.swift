import CGStreamer

// For the host of a `PushSource` only.

extension ElementHost {
    /// Calls `body` with the source; returns false if it no longer exists.
    private func withSource(_ body: (UnsafeMutablePointer<GstBaseSrc>) -> gboolean) -> Bool {
        withUnsafePointer { body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstBaseSrc.self)) != 0 } ?? false
    }

    /// Changes the caps of a source; called in `create` before it returns the first buffer with these caps.
    ///
    /// The corresponding C function is `gst_base_src_set_caps`.
    public func setSourceCaps(_ caps: Caps) -> Bool { withSource { gst_base_src_set_caps($0, caps.raw) } }

    /// Pushes the SEGMENT event of a source now; called in `create`, after `setSourceCaps`.
    ///
    /// Without this call, the event is pushed after `create` has returned the first buffer. Events that must not
    /// precede a segment, such as GAP and TAG, can be pushed after it. GstBaseSrc pushes the same segment again with the
    /// next buffer, which changes nothing downstream.
    @discardableResult
    public func pushSourceSegment() -> Bool {
        withSource { gst_pad_push_event($0.pointee.srcpad, gst_event_new_segment(&$0.pointee.segment)) }
    }

    /// Makes downstream discard the data of a source, which continues with a SEGMENT event and the next buffer.
    ///
    /// It may be called on any thread but the streaming thread, for example on the one that receives the data. It sends
    /// FLUSH_START, calls `unlock`, waits until `create` has returned, calls `unlockStop`, and sends FLUSH_STOP. If the
    /// running time is not reset, the timestamps continue as if nothing was discarded. The corresponding C method is
    /// `send_event` of `GstBaseSrc`.
    @discardableResult
    public func flushSource(resetsTime: Bool = false) -> Bool {
        guard let start = Event.flushStart(), let stop = Event.flushStop(after: start, resetsTime: resetsTime) else {
            return false
        }
        let hasStarted = parentSendEvent(start)
        return parentSendEvent(stop) && hasStarted
    }

    /// Pushes a serialized event of a source, such as TAG, before its next buffer; may be called on any thread.
    ///
    /// A flush discards it. The corresponding C method is `send_event` of `GstBaseSrc`.
    @discardableResult
    public func pushWithNextBuffer(_ event: consuming Event) -> Bool { parentSendEvent(event) }
}
