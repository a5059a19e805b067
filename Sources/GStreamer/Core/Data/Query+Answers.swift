import CGStreamer
import Durations

// A queue forwards queries to other elements, and corrects their answers for the frames that the queue holds.

extension Query {
    /// Subtracts the level of a queue from the position in the answer, if the query is in time or bytes.
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

    /// Adds `count` to the minimum number of buffers of the pools in the answer of an ALLOCATION query.
    ///
    /// If the answer for raw video has no pool and `addsEntry` is true, the method adds an entry without a pool. The
    /// upstream element then creates a pool with this minimum. Without an entry, v4l2src copies frames when few buffers
    /// are left; with an entry, v4l2src relies on the minimum.
    public func addToMinimumBuffers(_ count: UInt32, addsEntry: Bool) {
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
        guard addsEntry, pools == 0, let size = rawFrameSize else { return }
        gst_query_add_allocation_pool(raw, nil, guint(clamping: size), guint(count), 0)
    }

    /// Size in bytes of a frame of raw video in an ALLOCATION query; nil for other streams.
    public var rawFrameSize: UInt64? {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_allocation(raw, &caps, nil)
        guard let caps, gst_caps_is_fixed(caps) != 0, let structure = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(structure, "video/x-raw") != 0
        else { return nil }
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, info.size > 0 else { return nil }
        return UInt64(info.size)
    }
}

extension Pad {
    /// Queries the latency of upstream and returns whether the source is live; nil if the query fails.
    public func querySourceIsLive() -> Bool? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_query_unref(query) }
        guard gst_pad_peer_query(raw, query) != 0 else { return nil }
        var isLive: gboolean = 0
        gst_query_parse_latency(query, &isLive, nil, nil)
        return isLive != 0
    }
}
