import CGStreamer
import Threads

/// A query, which an element answers, or which it sends to the peer of a pad.
///
/// A query that an element receives is valid during one call, because its sender owns it. While the called method waits in
/// `lend`, another thread can answer the query. Typed contents, such as `position`, are nil for a query of another kind;
/// setting them then does nothing. The C type is `GstQuery`.
public struct Query: ~Copyable, @unchecked Sendable {  // The sender waits while another thread answers the query.
    /// The kind of a query.
    ///
    /// The corresponding C type is `GstQueryType`.
    public struct Kind: Sendable, Hashable {
        private let raw: UInt32

        init(_ type: GstQueryType) { raw = type.rawValue }

        /// `GST_QUERY_POSITION`: the position in the stream.
        public static let position = Self(GST_QUERY_POSITION)
        /// `GST_QUERY_DURATION`: the duration of the stream.
        public static let duration = Self(GST_QUERY_DURATION)
        /// `GST_QUERY_LATENCY`: whether the stream is live, and how late it is.
        public static let latency = Self(GST_QUERY_LATENCY)
        /// `GST_QUERY_SEEKING`: whether and where the stream can be sought.
        public static let seeking = Self(GST_QUERY_SEEKING)
        /// `GST_QUERY_SEGMENT`: the part of the stream that is played.
        public static let segment = Self(GST_QUERY_SEGMENT)
        /// `GST_QUERY_CONVERT`: the conversion of a value to another format.
        public static let conversion = Self(GST_QUERY_CONVERT)
        /// `GST_QUERY_FORMATS`: the formats of seeks and queries.
        public static let formats = Self(GST_QUERY_FORMATS)
        /// `GST_QUERY_BUFFERING`: the level and the ranges of buffered data.
        public static let buffering = Self(GST_QUERY_BUFFERING)
        /// `GST_QUERY_CUSTOM`: a structure that elements define.
        public static let custom = Self(GST_QUERY_CUSTOM)
        /// `GST_QUERY_URI`: the address of the stream.
        public static let uri = Self(GST_QUERY_URI)
        /// `GST_QUERY_ALLOCATION`: pools and metas that downstream offers.
        public static let allocation = Self(GST_QUERY_ALLOCATION)
        /// `GST_QUERY_SCHEDULING`: the modes in which upstream provides data.
        public static let scheduling = Self(GST_QUERY_SCHEDULING)
        /// `GST_QUERY_ACCEPT_CAPS`: whether a pad accepts caps.
        public static let acceptCaps = Self(GST_QUERY_ACCEPT_CAPS)
        /// `GST_QUERY_CAPS`: the caps that a pad can have.
        public static let caps = Self(GST_QUERY_CAPS)
        /// `GST_QUERY_DRAIN`: a request to process all buffered data.
        public static let drain = Self(GST_QUERY_DRAIN)
        /// `GST_QUERY_CONTEXT`: an object that elements share, such as a display.
        public static let context = Self(GST_QUERY_CONTEXT)
        /// `GST_QUERY_BITRATE`: the nominal bitrate of the stream.
        public static let bitrate = Self(GST_QUERY_BITRATE)
    }

    let raw: UnsafeMutablePointer<GstQuery>
    private let isOwned: Bool

    /// The C query must exist as long as this value.
    init(lending raw: UnsafeMutablePointer<GstQuery>) { (self.raw, isOwned) = (raw, false) }

    /// Takes the caller's reference to a query that GStreamer has made, which never fails.
    init(taking raw: UnsafeMutablePointer<GstQuery>!) {
        self.raw = raw
        isOwned = true
    }

    deinit { if isOwned { gst_query_unref(raw) } }

    /// Address of the query, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// The kind of query.
    public var kind: Kind { Kind(raw.pointee.type) }

    /// Whether the query is serialized with the buffers.
    ///
    /// The corresponding C macro is `GST_QUERY_IS_SERIALIZED`.
    public var isSerialized: Bool { cgst_query_is_serialized(raw) != 0 }

    /// Adds push mode to the answer of a SCHEDULING query.
    ///
    /// The corresponding C function is `gst_query_add_scheduling_mode`.
    public func offerPushScheduling() { gst_query_add_scheduling_mode(raw, GST_PAD_MODE_PUSH) }

    /// Calls `body` with a loan of the query that another thread can use until `body` returns.
    ///
    /// If another thread is in `QueryLoan.use`, `lend` waits for its end before it returns.
    public func lend<R>(_ body: (QueryLoan) -> R) -> R {
        let loan = QueryLoan(raw)
        defer { loan.end() }
        return body(loan)
    }
}

/// A query that another thread may answer while its sender waits in `Query.lend`.
///
/// Any thread may call `use`, even after the loan has ended.
public final class QueryLoan: Sendable {
    private struct Lent: @unchecked Sendable {  // The pointer is used with the mutex locked.
        var query: UnsafeMutablePointer<GstQuery>?
    }

    private let lent: Mutex<Lent>
    /// Address of the query, for comparison only.
    public let identity: UInt

    fileprivate init(_ raw: UnsafeMutablePointer<GstQuery>) {
        lent = Mutex(Lent(query: raw))
        identity = UInt(bitPattern: raw)
    }

    fileprivate func end() { lent.withLock { $0.query = nil } }

    /// Calls `body` with the query; returns nil if the loan has ended.
    ///
    /// `body` runs with a mutex locked. The end of the loan waits until this mutex is unlocked.
    public func use<R>(_ body: (borrowing Query) -> R) -> R? {
        var result: R?
        lent.withLock { if let query = $0.query { result = body(Query(lending: query)) } }
        return result
    }
}
