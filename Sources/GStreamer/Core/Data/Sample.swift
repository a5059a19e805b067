import CGStreamer

/// Bytes with their format, such as the encoded picture of a tag.
///
/// It is a copy of the C sample. The corresponding C type is `GstSample`.
public struct Sample: Sendable, Equatable {
    /// The contents of the buffer.
    public var bytes: [UInt8]
    /// The format, such as `image/jpeg`; nil if it is unknown.
    public var caps: Caps?

    /// A sample with these bytes.
    public init(_ bytes: [UInt8], caps: Caps?) { (self.bytes, self.caps) = (bytes, caps) }

    init(_ raw: OpaquePointer) {
        bytes = gst_sample_get_buffer(raw).map { copyBytes(of: $0) } ?? []
        caps = gst_sample_get_caps(raw).map { Caps($0) }
    }

    /// A new `GstSample` (transfer full).
    func makeRaw() -> OpaquePointer? {
        let buffer = makeBuffer(of: bytes)
        defer { gst_buffer_unref(buffer) }
        return gst_sample_new(buffer, caps?.raw, nil, nil)
    }
}

/// A new buffer with a copy of `bytes` (transfer full).
func makeBuffer(of bytes: [UInt8]) -> UnsafeMutablePointer<GstBuffer>? {
    bytes.isEmpty ? gst_buffer_new() : gst_buffer_new_memdup(bytes, gsize(bytes.count))
}

/// The bytes of a buffer; empty if they cannot be read.
func copyBytes(of buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(gst_buffer_get_size(buffer))) { bytes, count in
        count = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, gsize(bytes.count)))
    }
}
