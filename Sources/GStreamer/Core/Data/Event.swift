public import CGStreamer

/// One reference to an event.
///
/// The functions that make an event return nil if an argument is not valid. Any thread may use an event.
/// The corresponding C type is `GstEvent`.
public struct Event: ~Copyable, @unchecked Sendable {  // Nothing writes to an event after it was sent.
    /// The kinds of event that the bridge distinguishes.
    public enum Kind: Sendable, Equatable {
        /// `GST_EVENT_FLUSH_START`: pads reject data from now on, and waiting threads return.
        case flushStart
        /// `GST_EVENT_FLUSH_STOP`: pads accept data again.
        case flushStop
        /// `GST_EVENT_STREAM_START`: the first event of a stream, with its id.
        case streamStart
        /// `GST_EVENT_SEGMENT`: the relation of the timestamps that follow to the running time.
        case segment
        /// `GST_EVENT_SEGMENT_DONE`: the end of a segment seek.
        case segmentDone
        /// `GST_EVENT_CAPS`: the format of the buffers that follow.
        case caps
        /// `GST_EVENT_GAP`: a time without data.
        case gap
        /// `GST_EVENT_EOS`: the end of the stream.
        case endOfStream
        /// `GST_EVENT_LATENCY`: the latency that sinks add, sent upstream.
        case latency
        /// `GST_EVENT_RECONFIGURE`: a request to negotiate again, sent upstream.
        case reconfigure
        /// `GST_EVENT_CUSTOM_UPSTREAM`: a structure that elements define, sent upstream.
        case customUpstream
        /// `GST_EVENT_CUSTOM_DOWNSTREAM` and `GST_EVENT_CUSTOM_DOWNSTREAM_OOB`: a structure that elements define.
        case customDownstream
        /// Any other event.
        case other
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
        gst_event_new_gap(GstClockTime(time), GstClockTime(duration)).map { Event(taking: $0) }
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
        case GST_EVENT_FLUSH_START: .flushStart
        case GST_EVENT_FLUSH_STOP: .flushStop
        case GST_EVENT_STREAM_START: .streamStart
        case GST_EVENT_SEGMENT: .segment
        case GST_EVENT_SEGMENT_DONE: .segmentDone
        case GST_EVENT_CAPS: .caps
        case GST_EVENT_GAP: .gap
        case GST_EVENT_EOS: .endOfStream
        case GST_EVENT_LATENCY: .latency
        case GST_EVENT_RECONFIGURE: .reconfigure
        case GST_EVENT_CUSTOM_UPSTREAM: .customUpstream
        case GST_EVENT_CUSTOM_DOWNSTREAM, GST_EVENT_CUSTOM_DOWNSTREAM_OOB: .customDownstream
        default: .other
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
