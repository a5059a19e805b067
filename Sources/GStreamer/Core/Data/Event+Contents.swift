import CGStreamer

// The contents of an event.

extension Event {
    /// The segment of a SEGMENT event; nil for another event.
    public var segment: Segment? { kind == .segment ? Segment(raw) : nil }

    /// Start and duration of the gap of a GAP event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_gap`.
    public var gap: (at: Duration?, duration: Duration?)? {
        guard kind == .gap else { return nil }
        var time = GstClockTime.max
        var duration = GstClockTime.max
        gst_event_parse_gap(raw, &time, &duration)
        return (Duration(time), Duration(duration))
    }

    /// The latency in a LATENCY event: sinks render each buffer this long after its running time.
    ///
    /// The value is nil for another event. The corresponding C function is `gst_event_parse_latency`.
    public var latency: Duration? {
        guard kind == .latency else { return nil }
        var latency = GstClockTime(0)
        gst_event_parse_latency(raw, &latency)
        return Duration(latency)
    }

    /// The caps of a CAPS event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_caps`.
    public var caps: Caps? {
        guard kind == .caps else { return nil }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(raw, &caps)
        return caps.map { Caps($0) }
    }

    /// The tags of a TAG event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_tag`.
    public var tags: TagList? {
        guard raw.pointee.type == GST_EVENT_TAG else { return nil }
        var tags: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(raw, &tags)
        return tags.map { TagList($0) }
    }

    /// The stream id and the group of a STREAM_START event; the group is nil if the event has none.
    ///
    /// The value is nil for another event. The corresponding C functions are `gst_event_parse_stream_start` and
    /// `gst_event_parse_group_id`.
    public var stream: (identifier: String, group: UInt32?)? {
        guard kind == .streamStart else { return nil }
        var identifier: UnsafePointer<gchar>?
        gst_event_parse_stream_start(raw, &identifier)
        var group: guint = 0
        let hasGroup = gst_event_parse_group_id(raw, &group) != 0
        return identifier.map { (String(cString: $0), hasGroup ? UInt32(group) : nil) }
    }

    /// Delay and running time of a buffer in a sink, from a QOS event; a positive delay means that the buffer was late.
    ///
    /// The value is nil for another event. The corresponding C function is `gst_event_parse_qos`.
    public var qualityOfService: (delay: Duration, at: Duration?)? {
        guard raw.pointee.type == GST_EVENT_QOS else { return nil }
        var delay = GstClockTimeDiff(0)
        var time = GstClockTime.max
        gst_event_parse_qos(raw, nil, nil, &delay, &time)
        return (.nanoseconds(Int64(delay)), Duration(time))
    }
}
