import CGStreamer
import Threads

/// A query, valid during one call; the sender owns the query.
///
/// While the called method waits in `lend`, another thread can answer the query. The C type is `GstQuery`.
public struct Query: ~Copyable, @unchecked Sendable {  // The sender waits while another thread answers the query.
    /// The kinds of query that the bridge distinguishes.
    ///
    /// The corresponding C type is `GstQueryType`.
    public enum Kind: Sendable, Equatable {
        /// `GST_QUERY_ALLOCATION`: pools and metas that downstream offers.
        case allocation
        /// `GST_QUERY_LATENCY`: whether the stream is live, and how late it is.
        case latency
        /// `GST_QUERY_POSITION`: the position in the stream.
        case position
        /// `GST_QUERY_SCHEDULING`: the modes in which upstream provides data.
        case scheduling
        /// Any other query.
        case other
    }

    let raw: UnsafeMutablePointer<GstQuery>

    /// The C query must exist as long as this value.
    init(lending raw: UnsafeMutablePointer<GstQuery>) { self.raw = raw }

    /// Address of the query, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// The kind of query.
    public var kind: Kind {
        switch raw.pointee.type {
        case GST_QUERY_ALLOCATION: .allocation
        case GST_QUERY_LATENCY: .latency
        case GST_QUERY_POSITION: .position
        case GST_QUERY_SCHEDULING: .scheduling
        default: .other
        }
    }

    /// Whether the query is serialized with the buffers.
    ///
    /// The corresponding C macro is `GST_QUERY_IS_SERIALIZED`.
    public var isSerialized: Bool { cgst_query_is_serialized(raw) != 0 }

    /// The latency in the answer; a nil maximum means that the latency is not limited.
    ///
    /// Only for a LATENCY query: for another one, GStreamer logs a critical message.
    public var latency: (isLive: Bool, minimum: Duration, maximum: Duration?) {
        get {
            var isLive: gboolean = 0
            var minimum = GstClockTime(0)
            var maximum = GstClockTime.max
            gst_query_parse_latency(raw, &isLive, &minimum, &maximum)
            return (isLive != 0, Duration(minimum) ?? .zero, Duration(maximum))
        }
        nonmutating set {
            gst_query_set_latency(
                raw, newValue.isLive ? 1 : 0, GstClockTime(newValue.minimum), GstClockTime(newValue.maximum))
        }
    }

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
