import CGStreamer

/// Size, times and flags of a buffer, or of all buffers in a list.
public struct BufferFacts: Sendable, Equatable {
    /// The number of buffers.
    public var count: UInt32 = 1
    /// The total size in bytes.
    public var bytes: UInt64 = 0
    /// Timestamps in nanoseconds, which `Segment` converts to running times.
    var times = Times()
    /// Whether the buffer has the flag DELTA_UNIT, which means that it cannot be decoded without preceding buffers.
    public var isDeltaUnit = false
    /// Whether the buffer has the flag DROPPABLE, so that no other frame refers to it; false for a list.
    public var isDroppable = false
    /// Number of buffers with the flag HEADER; headers are required to decode the stream.
    public var headerCount: UInt32 = 0

    /// The facts of a buffer without data and times.
    public init() {}

    /// Timestamps of a buffer or of a list, in nanoseconds.
    struct Times: Equatable {
        var start: UInt64?
        var end: UInt64?
        var presented: UInt64?
        var duration: UInt64?
    }

    /// DTS of the first buffer with a timestamp, or its PTS if the DTS is not set; nil if no buffer has one.
    public var startsAt: Duration? { times.start.map { .nanoseconds($0) } }
    /// Timestamp of the last buffer with a timestamp, plus the durations of this buffer and of all later buffers.
    ///
    /// The value is nil if no buffer has a timestamp.
    public var endsAt: Duration? { times.end.map { .nanoseconds($0) } }
    /// Duration of the buffer; for a list, the duration of the last buffer that has a duration; nil if there is none.
    public var duration: Duration? { times.duration.map { .nanoseconds($0) } }
}

/// One reference to a buffer; any thread may use it.
///
/// The corresponding C type is `GstBuffer`.
public struct Buffer: ~Copyable, @unchecked Sendable {
    // The reference count of a GstBuffer is atomic, and only the owner of a `Buffer` writes to the GstBuffer.
    private(set) var raw: UnsafeMutablePointer<GstBuffer>

    /// Takes the caller's reference.
    init(taking raw: UnsafeMutablePointer<GstBuffer>) { self.raw = raw }

    deinit { gst_buffer_unref(raw) }

    /// Gives the reference to C.
    consuming func give() -> UnsafeMutablePointer<GstBuffer> {
        let raw = raw
        discard self
        return raw
    }

    /// Size, times and flags of the buffer.
    public var facts: BufferFacts { Self.facts(of: raw) }

    static func facts(of raw: UnsafeMutablePointer<GstBuffer>) -> BufferFacts {
        let c = cgst_buffer_facts(raw)
        var facts = BufferFacts()
        facts.bytes = UInt64(c.bytes)
        facts.times.start = valid(c.time)
        facts.times.duration = valid(c.duration)
        facts.times.presented = valid(c.pts) ?? facts.times.start
        facts.times.end = facts.times.start.map { $0 &+ (facts.times.duration ?? 0) }
        facts.isDeltaUnit = c.flags & guint32(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) != 0
        facts.isDroppable = c.flags & guint32(GST_BUFFER_FLAG_DROPPABLE.rawValue) != 0
        facts.headerCount = c.flags & guint32(GST_BUFFER_FLAG_HEADER.rawValue) != 0 ? 1 : 0
        return facts
    }

    /// Copies the buffer if it has other owners, so that its metadata can be written; its memory may still be shared.
    ///
    /// The corresponding C function is `gst_buffer_make_writable`.
    public mutating func makeWritable() { raw = cgst_buffer_make_writable(raw) }

    /// Sets the flag DISCONT: data is missing before this buffer.
    public mutating func markDiscontinuity() { set(.discontinuity) }
}

/// Converts a C time; nil for `GST_CLOCK_TIME_NONE`.
func valid(_ time: GstClockTime) -> UInt64? { UInt64(time) == .max ? nil : UInt64(time) }
