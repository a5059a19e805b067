public import CGStreamer

// Creation, timestamps and mapping of buffers. `Buffer` owns a reference; `WritableBuffer` is valid during one call.

extension Buffer {
    /// A new buffer with uninitialized memory; nil if there is no memory.
    ///
    /// The corresponding C function is `gst_buffer_new_allocate`.
    public init?(byteCount: Int) {
        guard let size = gsize(exactly: byteCount), let raw = gst_buffer_new_allocate(nil, size, nil) else {
            return nil
        }
        self.init(taking: raw)
    }

    /// A new buffer with a copy of `bytes`; nil if there is no memory.
    public init?(copying bytes: borrowing Span<UInt8>) {
        self.init(byteCount: bytes.count)
        _ = bytes.withUnsafeBytes { gst_buffer_fill(raw, 0, $0.baseAddress, gsize($0.count)) }
    }

    /// The number of bytes.
    public var byteCount: Int { Int(gst_buffer_get_size(raw)) }

    /// Presentation timestamp, in the time of the segment; nil if there is none.
    ///
    /// The setter makes the buffer writable first. The corresponding C field is `pts`.
    public var pts: Duration? {
        get { Duration(raw.pointee.pts) }
        set { change { $0.pointee.pts = GstClockTime(newValue) } }
    }

    /// Decoding timestamp, in the time of the segment; nil if there is none.
    ///
    /// The setter makes the buffer writable first. The corresponding C field is `dts`.
    public var dts: Duration? {
        get { Duration(raw.pointee.dts) }
        set { change { $0.pointee.dts = GstClockTime(newValue) } }
    }

    /// Duration of the buffer; nil if it is unknown.
    ///
    /// The setter makes the buffer writable first. The corresponding C field is `duration`.
    public var duration: Duration? {
        get { Duration(raw.pointee.duration) }
        set { change { $0.pointee.duration = GstClockTime(newValue) } }
    }

    /// Stream position of the buffer's first unit, such as an audio sample; nil if it is unknown.
    ///
    /// The setter makes the buffer writable first. The corresponding C field is `offset`.
    public var offset: UInt64? {
        get { valid(raw.pointee.offset) }
        set { change { $0.pointee.offset = newValue.map { guint64($0) } ?? .max } }
    }

    /// Stream position after the buffer's last unit; nil if it is unknown.
    ///
    /// The setter makes the buffer writable first. The corresponding C field is `offset_end`.
    public var offsetEnd: UInt64? {
        get { valid(raw.pointee.offset_end) }
        set { change { $0.pointee.offset_end = newValue.map { guint64($0) } ?? .max } }
    }

    /// Keeps only the bytes in `range`, clamped to the buffer; copies no memory.
    ///
    /// The times and offsets of the buffer do not change. The corresponding C function is `gst_buffer_resize`.
    public mutating func keep(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<byteCount)
        makeWritable()
        gst_buffer_resize(raw, gssize(range.lowerBound), gssize(range.count))
    }

    /// Copies `bytes` to the end, into memory that is allocated but not used, as after `keep`; false if that is too small.
    ///
    /// The corresponding C functions are `gst_buffer_set_size` and `gst_buffer_fill`.
    public mutating func append(_ bytes: borrowing Span<UInt8>) -> Bool {
        makeWritable()
        var (offset, maxSize) = (gsize(0), gsize(0))
        let size = gst_buffer_get_sizes(raw, &offset, &maxSize)
        guard bytes.count <= Int(maxSize - offset - size) else { return false }
        gst_buffer_set_size(raw, gssize(size) + gssize(bytes.count))
        let filled = bytes.withUnsafeBytes { gst_buffer_fill(raw, size, $0.baseAddress, gsize($0.count)) }
        if filled < gsize(bytes.count) { gst_buffer_set_size(raw, gssize(size)) }
        return filled == gsize(bytes.count)
    }

    /// Copies times, offsets, flags and metas of `other`; the buffer is made writable first.
    ///
    /// The corresponding C function is `gst_buffer_copy_into` with `GST_BUFFER_COPY_METADATA`.
    public mutating func copyMetadata(of other: borrowing Buffer) {
        makeWritable()
        gst_buffer_copy_into(raw, other.raw, cgst_buffer_copy_metadata(), 0, .max)
    }

    /// Another reference to the same buffer; while both exist, a write through either of them copies the buffer first.
    ///
    /// The corresponding C function is `gst_buffer_ref`.
    public func retained() -> Buffer { Buffer(taking: gst_buffer_ref(raw)) }

    /// Calls `body` with the bytes; nil if they cannot be read.
    ///
    /// The corresponding C function is `gst_buffer_map` with `GST_MAP_READ`.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R? {
        var map = GstMapInfo()
        guard gst_buffer_map(raw, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(raw, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)).bytes)
    }

    /// Calls `body` with the writable bytes; nil if they cannot be written.
    ///
    /// A buffer or memory with other owners is copied first.
    ///
    /// The corresponding C function is `gst_buffer_map` with `GST_MAP_READWRITE`.
    public mutating func withMutableBytes<R>(_ body: (inout MutableRawSpan) throws -> R) rethrows -> R? {
        makeWritable()
        return try WritableBuffer(raw).withMutableBytes(body)
    }

    /// Takes the caller's reference to a buffer.
    public init(unsafeTaking raw: UnsafeMutablePointer<GstBuffer>) { self.init(taking: raw) }

    /// Gives the reference to the caller.
    public consuming func unsafeGive() -> UnsafeMutablePointer<GstBuffer> { give() }

    /// Calls `body` with the C buffer, which is valid during the call.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstBuffer>) throws -> R) rethrows -> R {
        try body(raw)
    }

    private mutating func change(_ body: (UnsafeMutablePointer<GstBuffer>) -> Void) {
        makeWritable()
        body(raw)
    }
}

/// A buffer that an element may change in place, valid during one call.
///
/// The corresponding C type is `GstBuffer`.
public struct WritableBuffer: ~Copyable {
    private let raw: UnsafeMutablePointer<GstBuffer>

    /// The buffer must have no other owner.
    init(_ raw: UnsafeMutablePointer<GstBuffer>) { self.raw = raw }

    /// The number of bytes.
    public var byteCount: Int { Int(gst_buffer_get_size(raw)) }

    /// Presentation timestamp, in the time of the segment; nil if there is none.
    public var pts: Duration? {
        get { Duration(raw.pointee.pts) }
        nonmutating set { raw.pointee.pts = GstClockTime(newValue) }
    }

    /// Duration of the buffer; nil if it is unknown.
    public var duration: Duration? {
        get { Duration(raw.pointee.duration) }
        nonmutating set { raw.pointee.duration = GstClockTime(newValue) }
    }

    /// The flags of the buffer that `Buffer.Flags` declares.
    public var flags: Buffer.Flags { Buffer.Flags(of: raw) }

    /// Clears flags.
    ///
    /// The corresponding C function is `gst_buffer_unset_flags`.
    public func unset(_ flags: Buffer.Flags) {
        gst_buffer_unset_flags(raw, GstBufferFlags(rawValue: flags.rawValue))
    }

    /// Keeps only the bytes in `range`, clamped to the buffer, and clears the stream positions `offset` and `offset_end`.
    ///
    /// Copies no memory. The corresponding C function is `gst_buffer_resize`.
    public func keep(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<byteCount)
        gst_buffer_resize(raw, gssize(range.lowerBound), gssize(range.count))
        (raw.pointee.offset, raw.pointee.offset_end) = (.max, .max)
    }

    /// Calls `body` with the writable bytes; nil if they cannot be written.
    public func withMutableBytes<R>(_ body: (inout MutableRawSpan) throws -> R) rethrows -> R? {
        var map = GstMapInfo()
        guard gst_buffer_map(raw, &map, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)) != 0 else {
            return nil
        }
        defer { gst_buffer_unmap(raw, &map) }
        var bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size)).mutableBytes
        return try body(&bytes)
    }
}
