import CGStreamer

/// Size, times and flags of a frame, or of several frames in a list.
public struct BufferFacts: Sendable, Equatable {
    /// The number of buffers.
    public var count: UInt32 = 1
    /// The bytes of all of them.
    public var bytes: UInt64 = 0
    /// Times in nanoseconds, as `Segment` needs them.
    var times = Times()
    /// It cannot be decoded without those before it.
    public var isDeltaUnit = false
    /// No other frame needs it to be decoded.
    public var isDroppable = false
    /// How many describe the stream, which is lost without them.
    public var headerCount: UInt32 = 0

    /// Nothing.
    public init() {}

    /// Times of a frame or of a list, in nanoseconds.
    struct Times: Equatable {
        var start: UInt64?
        var end: UInt64?
        var presented: UInt64?
        var duration: UInt64?
    }

    /// The first time: DTS, or PTS where there is none.
    public var startsAt: Duration? { times.start.map { .nanoseconds($0) } }
    /// The last time, with the last duration.
    public var endsAt: Duration? { times.end.map { .nanoseconds($0) } }
    /// The first frame's PTS, or its DTS where it has none.
    public var presentedAt: Duration? { times.presented.map { .nanoseconds($0) } }
    /// One frame's duration.
    public var duration: Duration? { times.duration.map { .nanoseconds($0) } }
}

/// One reference to a frame.
///
/// The corresponding C type is `GstBuffer`.
public struct Buffer: ~Copyable, @unchecked Sendable {  // Its reference count is atomic; it is written by its owner.
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

    /// Says that something is missing before this frame.
    public mutating func markDiscontinuity() {
        makeWritable()
        cgst_buffer_set_flag(raw, guint(GST_BUFFER_FLAG_DISCONT.rawValue))
    }
}

/// A time, unless it is the one that stands for none.
func valid(_ time: GstClockTime) -> UInt64? { UInt64(time) == .max ? nil : UInt64(time) }
