import CGStreamer

extension Buffer {
    /// Whether data is missing before this buffer.
    ///
    /// The corresponding C flag is `GST_BUFFER_FLAG_DISCONT`.
    public var isDiscontinuity: Bool { gst_buffer_has_flags(raw, GST_BUFFER_FLAG_DISCONT) != 0 }
}
