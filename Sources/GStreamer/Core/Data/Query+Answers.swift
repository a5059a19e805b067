import CGStreamer
import Durations

// Queries of an element to its peers, and the contents of queries.

extension Query {
    /// A query for the latency of upstream, and whether it is live.
    ///
    /// The corresponding C function is `gst_query_new_latency`.
    public static func latency() -> Query { Query(taking: gst_query_new_latency()) }

    /// A query for the position in the stream.
    ///
    /// The corresponding C function is `gst_query_new_position`.
    public static func position(in format: FormattedValue.Format = .time) -> Query {
        Query(taking: gst_query_new_position(format.raw))
    }

    /// A query for the duration of the stream.
    ///
    /// The corresponding C function is `gst_query_new_duration`.
    public static func duration(in format: FormattedValue.Format = .time) -> Query {
        Query(taking: gst_query_new_duration(format.raw))
    }

    /// A query for the part of the stream that can be sought.
    ///
    /// The corresponding C function is `gst_query_new_seeking`.
    public static func seeking(in format: FormattedValue.Format = .time) -> Query {
        Query(taking: gst_query_new_seeking(format.raw))
    }

    /// A query for the segment that is played.
    ///
    /// The corresponding C function is `gst_query_new_segment`.
    public static func segment(in format: FormattedValue.Format = .time) -> Query {
        Query(taking: gst_query_new_segment(format.raw))
    }

    /// The latency in the answer to a LATENCY query; a nil maximum means that the latency is not limited.
    ///
    /// The corresponding C functions are `gst_query_parse_latency` and `gst_query_set_latency`.
    public var latency: (isLive: Bool, minimum: Duration, maximum: Duration?)? {
        get {
            guard kind == .latency else { return nil }
            var isLive: gboolean = 0
            var (minimum, maximum) = (GstClockTime(0), GstClockTime.max)
            gst_query_parse_latency(raw, &isLive, &minimum, &maximum)
            return (isLive != 0, Duration(minimum) ?? .zero, Duration(maximum))
        }
        nonmutating set {
            guard kind == .latency, let (isLive, minimum, maximum) = newValue else { return }
            gst_query_set_latency(raw, isLive ? 1 : 0, GstClockTime(minimum), GstClockTime(maximum))
        }
    }

    /// The position in a POSITION query, in the stream time of the answering element; setting another format does nothing.
    ///
    /// The corresponding C functions are `gst_query_parse_position` and `gst_query_set_position`.
    public var position: FormattedValue? {
        get { kind == .position ? read(gst_query_parse_position) : nil }
        nonmutating set {
            guard let newValue, position?.format == newValue.format else { return }
            gst_query_set_position(raw, newValue.format.raw, newValue.raw)
        }
    }

    /// The duration in a DURATION query; setting another format does nothing.
    ///
    /// The corresponding C functions are `gst_query_parse_duration` and `gst_query_set_duration`.
    public var duration: FormattedValue? {
        get { kind == .duration ? read(gst_query_parse_duration) : nil }
        nonmutating set {
            guard let newValue, duration?.format == newValue.format else { return }
            gst_query_set_duration(raw, newValue.format.raw, newValue.raw)
        }
    }

    private func read(
        _ parse: (UnsafeMutablePointer<GstQuery>?, UnsafeMutablePointer<GstFormat>?, UnsafeMutablePointer<gint64>?) ->
            Void
    ) -> FormattedValue {
        var (format, value) = (GST_FORMAT_UNDEFINED, gint64(-1))
        parse(raw, &format, &value)
        return FormattedValue(format, value)
    }

    /// Whether the stream of a SEEKING query can be sought, and between which limits; setting two formats does nothing.
    ///
    /// The corresponding C functions are `gst_query_parse_seeking` and `gst_query_set_seeking`.
    public var seeking: (isSeekable: Bool, start: FormattedValue, stop: FormattedValue)? {
        get {
            guard kind == .seeking else { return nil }
            var (format, isSeekable, start, stop) = (GST_FORMAT_UNDEFINED, gboolean(0), gint64(-1), gint64(-1))
            gst_query_parse_seeking(raw, &format, &isSeekable, &start, &stop)
            return (isSeekable != 0, FormattedValue(format, start), FormattedValue(format, stop))
        }
        nonmutating set {
            guard kind == .seeking, let (isSeekable, start, stop) = newValue, start.format == stop.format else {
                return
            }
            gst_query_set_seeking(raw, start.format.raw, isSeekable ? 1 : 0, start.raw, stop.raw)
        }
    }

    /// Speed and limits of the part that is played, in a SEGMENT query; setting two formats does nothing.
    ///
    /// The corresponding C functions are `gst_query_parse_segment` and `gst_query_set_segment`.
    public var segment: (rate: Double, start: FormattedValue, stop: FormattedValue)? {
        get {
            guard kind == .segment else { return nil }
            var (rate, format, start, stop) = (1.0, GST_FORMAT_UNDEFINED, gint64(-1), gint64(-1))
            gst_query_parse_segment(raw, &rate, &format, &start, &stop)
            return (rate, FormattedValue(format, start), FormattedValue(format, stop))
        }
        nonmutating set {
            guard kind == .segment, let (rate, start, stop) = newValue, start.format == stop.format else { return }
            gst_query_set_segment(raw, rate, start.format.raw, start.raw, stop.raw)
        }
    }

    // A queue corrects the answers of other elements for the frames that it holds.

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
