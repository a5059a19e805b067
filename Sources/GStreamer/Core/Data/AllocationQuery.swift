public import CGStreamer

/// An ALLOCATION query from upstream, after the base class has handled it; valid during `proposeAllocation`.
///
/// The corresponding C type is `GstQuery`, of the kind `GST_QUERY_ALLOCATION`.
public struct AllocationQuery: ~Copyable {
    private let raw: UnsafeMutablePointer<GstQuery>
    /// The caps of the buffers; nil if the query has none.
    public let caps: Caps?
    /// Whether upstream requests a pool.
    public let wantsPool: Bool

    /// Parses the query with the C function `gst_query_parse_allocation`.
    init(_ raw: UnsafeMutablePointer<GstQuery>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        var wantsPool: gboolean = 0
        gst_query_parse_allocation(raw, &caps, &wantsPool)
        self.raw = raw
        self.caps = caps.map { Caps($0) }
        self.wantsPool = wantsPool != 0
    }

    /// Calls `body` with the C query, to read and change the answer.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstQuery>) throws -> R) rethrows -> R {
        try body(raw)
    }
}
