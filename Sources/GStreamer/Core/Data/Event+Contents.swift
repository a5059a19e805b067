import CGStreamer
import Durations

// The contents of an event.

extension Event {
    /// The segment of a SEGMENT event; nil for another event.
    ///
    /// Setting a segment that was in another format than TIME does nothing.
    public var segment: Segment? {
        get { kind == .segment ? Segment(raw) : nil }
        set {
            guard kind == .segment, let newValue, newValue.isInTime else { return }
            replace(with: newValue.makeEvent())
        }
    }

    /// Start and duration of the gap of a GAP event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_gap`.
    public var gap: (at: Duration, duration: Duration?)? {
        get {
            guard kind == .gap else { return nil }
            var (time, duration) = (GstClockTime.max, GstClockTime.max)
            gst_event_parse_gap(raw, &time, &duration)
            return Duration(time).map { ($0, Duration(duration)) }
        }
        set {
            guard kind == .gap, let newValue else { return }
            var flags = GstGapFlags(rawValue: 0)
            gst_event_parse_gap_flags(raw, &flags)
            let event = Event.gap(at: newValue.at, duration: newValue.duration)?.give()
            if let event { gst_event_set_gap_flags(event, flags) }
            replace(with: event)
        }
    }

    /// The position of a SEGMENT_DONE event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_segment_done`.
    public var segmentDone: FormattedValue? {
        get {
            guard kind == .segmentDone else { return nil }
            var (format, position) = (GST_FORMAT_UNDEFINED, gint64(-1))
            gst_event_parse_segment_done(raw, &format, &position)
            return FormattedValue(format, position)
        }
        set {
            guard kind == .segmentDone, let newValue else { return }
            replace(with: Event.segmentDone(at: newValue)?.give())
        }
    }

    /// The seek of a SEEK event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_seek`.
    public var seek: Seek? {
        get { kind == .seek ? Seek(raw) : nil }
        set {
            guard kind == .seek, let event = newValue?.makeEvent() else { return }
            var interval = GstClockTime(0)
            gst_event_parse_seek_trickmode_interval(raw, &interval)
            gst_event_set_seek_trickmode_interval(event, interval)
            replace(with: event)
        }
    }

    /// Replaces the event by `event` (transfer full) with the sequence number of this event; nil changes nothing.
    private mutating func replace(with event: UnsafeMutablePointer<GstEvent>?) {
        guard let event else { return }
        gst_event_set_seqnum(event, gst_event_get_seqnum(raw))
        gst_event_set_running_time_offset(event, gst_event_get_running_time_offset(raw))
        self = Event(taking: event)
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
        get {
            guard kind == .caps else { return nil }
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(raw, &caps)
            return caps.map { Caps($0) }
        }
        set {
            guard kind == .caps, let newValue else { return }
            replace(with: Event.caps(newValue)?.give())
        }
    }

    /// The tags of a TAG event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_tag`.
    public var tags: TagList? {
        guard kind == .tags else { return nil }
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

    /// How late or early buffers reach a sink.
    public struct QualityOfService: Sendable, Equatable {
        /// Why a sink or a queue sent a QOS event.
        ///
        /// The corresponding C type is `GstQOSType`, with the same numbers.
        public enum Reason: UInt32, Sendable {
            /// `GST_QOS_TYPE_OVERFLOW`: buffers arrive too fast.
            case overflow = 0
            /// `GST_QOS_TYPE_UNDERFLOW`: buffers arrive too slowly.
            case underflow = 1
            /// `GST_QOS_TYPE_THROTTLE`: the application limits the rate.
            case throttle = 2
        }

        /// Why the event was sent.
        public var reason: Reason
        /// Time that the stream took, as a share of the time that it may take.
        public var proportion: Double
        /// Delay of the buffer; positive if it was late.
        public var jitter: Duration
        /// Running time of the buffer; nil if it is unknown.
        public var timestamp: Duration?

        /// The contents of a QOS event.
        public init(_ reason: Reason, proportion: Double, jitter: Duration, timestamp: Duration?) {
            (self.reason, self.proportion, self.jitter, self.timestamp) = (reason, proportion, jitter, timestamp)
        }

        /// The report with times multiplied by `fraction`.
        public func scaled(by fraction: Structure.Fraction) -> Self {
            Self(
                reason, proportion: proportion, jitter: jitter.scaled(by: fraction),
                timestamp: timestamp?.scaled(by: fraction))
        }
    }

    /// The contents of a QOS event; nil for another event.
    ///
    /// The corresponding C function is `gst_event_parse_qos`.
    public var qualityOfService: QualityOfService? {
        get {
            guard kind == .qualityOfService else { return nil }
            var (type, proportion, jitter, time) = (GST_QOS_TYPE_OVERFLOW, 1.0, GstClockTimeDiff(0), GstClockTime.max)
            gst_event_parse_qos(raw, &type, &proportion, &jitter, &time)
            return QualityOfService(
                .init(rawValue: type.rawValue) ?? .overflow, proportion: proportion,
                jitter: .nanoseconds(Int64(jitter)),
                timestamp: Duration(time))
        }
        set {
            guard kind == .qualityOfService, let newValue else { return }
            replace(with: Event.qualityOfService(newValue)?.give())
        }
    }
}
