public import CGStreamer
import Durations

/// One reference to an event.
///
/// The functions that make an event return nil if an argument is not valid. Typed contents, such as `seek`, are nil for an
/// event of another kind. Setting them makes a new event with the same sequence number; it does nothing for another kind,
/// and for contents that are not valid. Any thread may use an event.
/// The corresponding C type is `GstEvent`.
public struct Event: ~Copyable, @unchecked Sendable {  // Nothing writes to an event after it was sent.
    /// The kind of an event.
    ///
    /// The corresponding C type is `GstEventType`.
    public struct Kind: Sendable, Hashable {
        private let raw: UInt32

        init(_ type: GstEventType) { raw = type.rawValue }

        /// `GST_EVENT_FLUSH_START`: pads reject data from now on, and waiting threads return.
        public static let flushStart = Self(GST_EVENT_FLUSH_START)
        /// `GST_EVENT_FLUSH_STOP`: pads accept data again.
        public static let flushStop = Self(GST_EVENT_FLUSH_STOP)
        /// `GST_EVENT_STREAM_START`: the first event of a stream, with its id.
        public static let streamStart = Self(GST_EVENT_STREAM_START)
        /// `GST_EVENT_CAPS`: the format of the buffers that follow.
        public static let caps = Self(GST_EVENT_CAPS)
        /// `GST_EVENT_SEGMENT`: the relation of the timestamps that follow to the running time.
        public static let segment = Self(GST_EVENT_SEGMENT)
        /// `GST_EVENT_STREAM_COLLECTION`: the streams that can be selected.
        public static let streamCollection = Self(GST_EVENT_STREAM_COLLECTION)
        /// `GST_EVENT_TAG`: metadata of the stream.
        public static let tags = Self(GST_EVENT_TAG)
        /// `GST_EVENT_BUFFERSIZE`: how much data downstream must buffer.
        public static let bufferSize = Self(GST_EVENT_BUFFERSIZE)
        /// `GST_EVENT_SINK_MESSAGE`: a message that the sink posts when it receives the event.
        public static let sinkMessage = Self(GST_EVENT_SINK_MESSAGE)
        /// `GST_EVENT_STREAM_GROUP_DONE`: the end of a group of streams.
        public static let streamGroupDone = Self(GST_EVENT_STREAM_GROUP_DONE)
        /// `GST_EVENT_EOS`: the end of the stream.
        public static let endOfStream = Self(GST_EVENT_EOS)
        /// `GST_EVENT_TOC`: the chapters of the stream.
        public static let tableOfContents = Self(GST_EVENT_TOC)
        /// `GST_EVENT_PROTECTION`: how the stream is encrypted.
        public static let protection = Self(GST_EVENT_PROTECTION)
        /// `GST_EVENT_SEGMENT_DONE`: the end of a segment seek.
        public static let segmentDone = Self(GST_EVENT_SEGMENT_DONE)
        /// `GST_EVENT_GAP`: a time without data.
        public static let gap = Self(GST_EVENT_GAP)
        /// `GST_EVENT_INSTANT_RATE_CHANGE`: another speed at once, without a new segment.
        public static let instantRateChange = Self(GST_EVENT_INSTANT_RATE_CHANGE)
        /// `GST_EVENT_QOS`: how late or early buffers reach a sink, sent upstream.
        public static let qualityOfService = Self(GST_EVENT_QOS)
        /// `GST_EVENT_SEEK`: a request for another position or speed, sent upstream.
        public static let seek = Self(GST_EVENT_SEEK)
        /// `GST_EVENT_NAVIGATION`: a key or the pointer of a window, sent upstream.
        public static let navigation = Self(GST_EVENT_NAVIGATION)
        /// `GST_EVENT_LATENCY`: the latency that sinks add, sent upstream.
        public static let latency = Self(GST_EVENT_LATENCY)
        /// `GST_EVENT_STEP`: a request to skip data, sent upstream.
        public static let step = Self(GST_EVENT_STEP)
        /// `GST_EVENT_RECONFIGURE`: a request to negotiate again, sent upstream.
        public static let reconfigure = Self(GST_EVENT_RECONFIGURE)
        /// `GST_EVENT_TOC_SELECT`: a request for a chapter, sent upstream.
        public static let tableOfContentsSelect = Self(GST_EVENT_TOC_SELECT)
        /// `GST_EVENT_SELECT_STREAMS`: a request for some of the streams, sent upstream.
        public static let selectStreams = Self(GST_EVENT_SELECT_STREAMS)
        /// `GST_EVENT_INSTANT_RATE_SYNC_TIME`: the running time of an instant change of the speed, sent upstream.
        public static let instantRateSyncTime = Self(GST_EVENT_INSTANT_RATE_SYNC_TIME)
        /// `GST_EVENT_CUSTOM_UPSTREAM`: a structure that elements define, sent upstream.
        public static let customUpstream = Self(GST_EVENT_CUSTOM_UPSTREAM)
        /// `GST_EVENT_CUSTOM_DOWNSTREAM` and `GST_EVENT_CUSTOM_DOWNSTREAM_OOB`: a structure that elements define.
        public static let customDownstream = Self(GST_EVENT_CUSTOM_DOWNSTREAM)
        /// `GST_EVENT_CUSTOM_BOTH` and `GST_EVENT_CUSTOM_BOTH_OOB`: a structure, sent in either direction.
        public static let customBoth = Self(GST_EVENT_CUSTOM_BOTH)
    }

    let raw: UnsafeMutablePointer<GstEvent>

    /// Takes the caller's reference.
    init(taking raw: UnsafeMutablePointer<GstEvent>) { self.raw = raw }

    deinit { gst_event_unref(raw) }

    /// Gives the reference to C.
    consuming func give() -> UnsafeMutablePointer<GstEvent> {
        let raw = raw
        discard self
        return raw
    }

    /// Takes the caller's reference to an event.
    public init(unsafeTaking raw: UnsafeMutablePointer<GstEvent>) { self.init(taking: raw) }

    /// Gives the reference to the caller.
    public consuming func unsafeGive() -> UnsafeMutablePointer<GstEvent> { give() }

    /// An EOS event: no data follows.
    ///
    /// The corresponding C function is `gst_event_new_eos`.
    public static func endOfStream() -> Event? { gst_event_new_eos().map { Event(taking: $0) } }

    /// A STREAM_START event with the stream id `identifier`.
    ///
    /// Streams that are played together have the same `group`; see `newGroup`. The corresponding C function is
    /// `gst_event_new_stream_start`.
    public static func streamStart(_ identifier: String, group: UInt32? = nil) -> Event? {
        guard let raw = gst_event_new_stream_start(identifier) else { return nil }
        if let group { gst_event_set_group_id(raw, group) }
        return Event(taking: raw)
    }

    /// A group id that no other stream of the process has.
    ///
    /// The corresponding C function is `gst_util_group_id_next`.
    public static func newGroup() -> UInt32 { gst_util_group_id_next() }

    /// A CAPS event; nil if the caps are not fixed.
    ///
    /// The corresponding C function is `gst_event_new_caps`.
    public static func caps(_ caps: Caps) -> Event? {
        guard caps.isFixed else { return nil }
        return gst_event_new_caps(caps.raw).map { Event(taking: $0) }
    }

    /// A SEGMENT event.
    ///
    /// The corresponding C function is `gst_event_new_segment`.
    public static func segment(_ segment: Segment) -> Event? { segment.makeEvent().map { Event(taking: $0) } }

    /// A GAP event: there is no data for `duration` from `time` on; a nil `duration` is unknown.
    ///
    /// A decoder that has received no data negotiates its output when the gap arrives, and a sink prerolls. The
    /// corresponding C function is `gst_event_new_gap`.
    public static func gap(at time: Duration, duration: Duration? = nil) -> Event? {
        let time = GstClockTime(time)
        guard time != .max else { return nil }
        return gst_event_new_gap(time, GstClockTime(duration)).map { Event(taking: $0) }
    }

    /// A SEGMENT_DONE event: the part of a segment seek ends at `position`.
    ///
    /// The corresponding C function is `gst_event_new_segment_done`.
    public static func segmentDone(at position: FormattedValue) -> Event? {
        gst_event_new_segment_done(position.format.raw, position.raw).map { Event(taking: $0) }
    }

    /// A SEEK event; nil if the rate is 0 or not finite, or if the limits have two formats.
    ///
    /// Nil, too, for a change of the rate without a flush (`INSTANT_RATE_CHANGE`) that flushes or has a limit.
    /// The corresponding C function is `gst_event_new_seek`.
    public static func seek(_ seek: Seek) -> Event? { seek.makeEvent().map { Event(taking: $0) } }

    /// A QOS event, for upstream.
    ///
    /// Nil if the buffer would have reached the sink before the running time 0. The corresponding C function is
    /// `gst_event_new_qos`.
    public static func qualityOfService(_ report: QualityOfService) -> Event? {
        let (jitter, time) = (Int64(nanosecondsOf: report.jitter), GstClockTime(report.timestamp))
        guard jitter >= 0 || jitter.magnitude <= UInt64(time) else { return nil }
        return gst_event_new_qos(
            GstQOSType(rawValue: report.reason.rawValue), report.proportion, GstClockTimeDiff(jitter), time
        )
        .map { Event(taking: $0) }
    }

    /// A LATENCY event: sinks render each buffer `latency` after its running time; nil for a time beyond 584 years.
    ///
    /// The corresponding C function is `gst_event_new_latency`.
    public static func latency(_ latency: Duration) -> Event? {
        let time = GstClockTime(latency)
        return time == .max ? nil : gst_event_new_latency(time).map { Event(taking: $0) }
    }

    /// A NAVIGATION event, for upstream; nil if the name of `structure` is not valid.
    ///
    /// The corresponding C function is `gst_event_new_navigation`.
    public static func navigation(_ structure: Structure) -> Event? {
        structure.makeRaw().flatMap { gst_event_new_navigation($0) }.map { Event(taking: $0) }
    }

    /// A FLUSH_START event: downstream discards its data.
    ///
    /// The corresponding C function is `gst_event_new_flush_start`.
    public static func flushStart() -> Event? { gst_event_new_flush_start().map { Event(taking: $0) } }

    /// A FLUSH_STOP event with the sequence number of `start`; with `resetsTime`, the running time restarts at 0.
    ///
    /// The corresponding C function is `gst_event_new_flush_stop`.
    public static func flushStop(after start: borrowing Event, resetsTime: Bool) -> Event? {
        guard let raw = gst_event_new_flush_stop(resetsTime ? 1 : 0) else { return nil }
        gst_event_set_seqnum(raw, gst_event_get_seqnum(start.raw))
        return Event(taking: raw)
    }

    /// A TAG event with metadata of the stream.
    ///
    /// The corresponding C function is `gst_event_new_tag`.
    public static func tags(_ tags: TagList) -> Event? { gst_event_new_tag(tags.makeRaw()).map { Event(taking: $0) } }

    /// A custom event; nil if the name of `structure` is not valid.
    ///
    /// `isSerialized` applies only to a downstream event. The corresponding C function is `gst_event_new_custom`.
    public static func custom(_ structure: Structure, isUpstream: Bool, isSerialized: Bool = true) -> Event? {
        guard let raw = structure.makeRaw() else { return nil }
        let downstream = isSerialized ? GST_EVENT_CUSTOM_DOWNSTREAM : GST_EVENT_CUSTOM_DOWNSTREAM_OOB
        return gst_event_new_custom(isUpstream ? GST_EVENT_CUSTOM_UPSTREAM : downstream, raw)
            .map { Event(taking: $0) }
    }

    /// A RECONFIGURE event: upstream must renegotiate caps and allocation.
    ///
    /// The corresponding C function is `gst_event_new_reconfigure`.
    public static func reconfigure() -> Event? { gst_event_new_reconfigure().map { Event(taking: $0) } }

    /// A force-key-unit event for an upstream encoder.
    ///
    /// The corresponding C function is `gst_video_event_new_upstream_force_key_unit`.
    public static func keyUnitRequest(number: UInt32) -> Event? {
        gst_video_event_new_upstream_force_key_unit(GstClockTime.max, 0, number).map { Event(taking: $0) }
    }

    /// The kind of event.
    public var kind: Kind {
        switch raw.pointee.type {
        case GST_EVENT_CUSTOM_DOWNSTREAM_OOB: .customDownstream
        case GST_EVENT_CUSTOM_BOTH_OOB: .customBoth
        case let type: Kind(type)
        }
    }

    /// Whether the event is serialized with the buffers.
    ///
    /// The corresponding C macro is `GST_EVENT_IS_SERIALIZED`.
    public var isSerialized: Bool { cgst_event_is_serialized(raw) != 0 }
    /// Whether pads store the event.
    ///
    /// The corresponding C macro is `GST_EVENT_IS_STICKY`.
    public var isSticky: Bool { cgst_event_is_sticky(raw) != 0 }

    /// The structure with the fields of the event; nil if the event has no structure.
    ///
    /// The corresponding C function is `gst_event_get_structure`.
    public var structure: Structure? { gst_event_get_structure(raw).map { Structure($0) } }
}
