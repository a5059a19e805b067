/// A mark in a ring: 32 bytes.
struct TraceRecord: Equatable {
    /// Time of the mark, or beginning of a slice, in nanoseconds of CLOCK_MONOTONIC.
    var time: UInt64
    /// Bits 0 to 55: address of the name; 56 to 58: session; 59: last mark of the frame; 60 to 63: kind.
    private var header: UInt64
    /// Level of a span, value of a counter or instant, address of a reason, or nanoseconds of a slice.
    var value: UInt64
    /// Frame; 0 for a counter.
    var frame: UInt64

    init(_ kind: MarkKind, name: UInt, time: UInt64, value: UInt64, frame: UInt64, last: Bool = false, session: UInt64)
    {
        self.time = time
        self.value = value
        self.frame = frame
        header =
            (UInt64(name) & Self.addressMask) | ((session & 7) << 56) | (last ? (1 << 59) : 0)
            | (UInt64(kind.rawValue) << 60)
    }

    // Addresses are below bit 56 on all processors on which GStreamer runs.
    private static let addressMask: UInt64 = (1 << 56) - 1

    /// Kind; nil if the memory was never written.
    var kind: MarkKind? { MarkKind(rawValue: UInt8(header >> 60)) }
    var name: UInt { UInt(header & Self.addressMask) }
    /// Whether the mark is the last mark of its frame.
    var isLast: Bool { (header & (1 << 59)) != 0 }
    /// Number of the session, modulo 8.
    var session: UInt64 { (header >> 56) & 7 }
}
