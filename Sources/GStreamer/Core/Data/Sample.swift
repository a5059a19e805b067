import CGStreamer

/// A buffer with its format, such as a frame of an appsink or the encoded picture of a tag.
///
/// Copies share one C sample, which is never modified. The corresponding C type is `GstSample`.
public struct Sample: Sendable, Equatable {
    private final class Reference: @unchecked Sendable {  // Nothing writes to the sample.
        let raw: OpaquePointer?

        /// Takes ownership of a `GstSample`.
        init(_ raw: OpaquePointer?) { self.raw = raw }

        deinit { raw.map { gst_sample_unref($0) } }
    }

    private let reference: Reference

    /// A copy of the contents of the buffer; empty if there is none.
    public var bytes: [UInt8] { reference.raw.flatMap { gst_sample_get_buffer($0) }.map { copyBytes(of: $0) } ?? [] }
    /// The format, such as `image/jpeg`; nil if it is unknown.
    public var caps: Caps? { reference.raw.flatMap { gst_sample_get_caps($0) }.map { Caps($0) } }

    /// Another reference to the buffer; nil if there is none.
    ///
    /// The corresponding C function is `gst_sample_get_buffer`.
    public var buffer: Buffer? {
        reference.raw.flatMap { gst_sample_get_buffer($0) }.map { Buffer(taking: gst_buffer_ref($0)) }
    }

    /// A sample with these bytes.
    public init(_ bytes: [UInt8], caps: Caps?) {
        let buffer = makeBuffer(of: bytes)
        defer { gst_buffer_unref(buffer) }
        reference = Reference(gst_sample_new(buffer, caps?.raw, nil, nil))
    }

    /// A sample with a reference to `buffer`.
    ///
    /// The corresponding C function is `gst_sample_new`.
    public init(_ buffer: borrowing Buffer, caps: Caps?) {
        reference = Reference(gst_sample_new(buffer.raw, caps?.raw, nil, nil))
    }

    init(_ raw: OpaquePointer) { reference = Reference(gst_sample_ref(raw)) }

    /// The `GstSample` with a new reference (transfer full).
    func makeRaw() -> OpaquePointer? { reference.raw.map { gst_sample_ref($0) } }

    /// Whether bytes and formats are equal.
    public static func == (one: Self, other: Self) -> Bool {
        one.reference === other.reference || (one.bytes == other.bytes && one.caps == other.caps)
    }
}

/// A new buffer with a copy of `bytes` (transfer full).
func makeBuffer(of bytes: [UInt8]) -> UnsafeMutablePointer<GstBuffer>? {
    bytes.isEmpty ? gst_buffer_new() : gst_buffer_new_memdup(bytes, gsize(bytes.count))
}

/// The bytes of a buffer; empty if they cannot be read.
func copyBytes(of buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8] {
    let size = Int(gst_buffer_get_size(buffer))
    // Without capacity, the initializer writes the count to the storage that all empty arrays share, which is a race.
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        count = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, gsize(bytes.count)))
    }
}
