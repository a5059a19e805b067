public import GStreamer

extension ElementReference {
    /// Sends an upstream event to the source pad of a source.
    ///
    /// The corresponding C function is `gst_pad_send_event`.
    public func send(upstream event: consuming Event) { pad("src")?.send(event) }
}
