import CGStreamer

/// A query; it is owned by the thread that sent it.
///
/// The corresponding C type is `GstQuery`.
public struct Query: @unchecked Sendable {  // The thread that sent it waits while another thread answers.
    /// The kinds of query that the bridge distinguishes.
    ///
    /// The corresponding C type is `GstQueryType`.
    public enum Kind: Sendable, Equatable {
        /// `GST_QUERY_ALLOCATION`.
        case allocation
        /// `GST_QUERY_LATENCY`.
        case latency
        /// `GST_QUERY_POSITION`.
        case position
        /// `GST_QUERY_SCHEDULING`.
        case scheduling
        /// Any other.
        case other
    }

    let raw: UnsafeMutablePointer<GstQuery>

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

    /// Whether it is serialized with the buffers.
    public var isSerialized: Bool { cgst_query_is_serialized(raw) != 0 }

    /// The latency in the answer; a nil maximum is unlimited.
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

    /// Subtracts the level of a queue from the position in the answer, if its format is time or bytes.
    public func subtractFromPosition(time: Duration, bytes: UInt64) {
        var format = GST_FORMAT_UNDEFINED
        var position: gint64 = 0
        gst_query_parse_position(raw, &format, &position)
        let held: UInt64
        switch format {
        case GST_FORMAT_TIME: held = UInt64(nanosecondsOf: time)
        case GST_FORMAT_BYTES: held = bytes
        default: return
        }
        gst_query_set_position(raw, format, max(0, position &- gint64(clamping: held)))
    }

    /// Adds push mode to the answer of a SCHEDULING query.
    public func offerPushScheduling() { gst_query_add_scheduling_mode(raw, GST_PAD_MODE_PUSH) }

    /// Adds `count` to the minimum number of buffers of the pools in the answer of an ALLOCATION query.
    ///
    /// If the answer has no pool and the stream is raw video, adds an entry without a pool, so that the upstream
    /// element creates a pool with this minimum.
    public func addToMinimumBuffers(_ count: UInt32) {
        guard count > 0 else { return }
        let pools = gst_query_get_n_allocation_pools(raw)
        for index in 0..<pools {
            var pool: UnsafeMutablePointer<GstBufferPool>?
            var size: guint = 0
            var (least, most): (guint, guint) = (0, 0)
            gst_query_parse_nth_allocation_pool(raw, index, &pool, &size, &least, &most)
            let (more, isTooMany) = least.addingReportingOverflow(count)
            least = isTooMany ? .max : more
            // The maximum must not be below the minimum.
            if most != 0 { most = max(most, least) }
            gst_query_set_nth_allocation_pool(raw, index, pool, size, least, most)
            if let pool { gst_object_unref(pool) }
        }
        guard pools == 0, let size = rawFrameSize else { return }
        gst_query_add_allocation_pool(raw, nil, size, guint(count), 0)
    }

    private var rawFrameSize: guint? {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_allocation(raw, &caps, nil)
        guard let caps, gst_caps_is_fixed(caps) != 0, let structure = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(structure, "video/x-raw") != 0
        else { return nil }
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, info.size > 0 else { return nil }
        return guint(clamping: info.size)
    }
}
