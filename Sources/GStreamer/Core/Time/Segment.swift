import CGStreamer
import Durations

/// The part of a stream to play, with the conversion to running time.
///
/// In a segment of another format, `init` replaces format, start, stop and time by those of an open TIME segment. The
/// corresponding C type is `GstSegment`.
public struct Segment: @unchecked Sendable {  // GstSegment contains no pointers.
    private var raw = GstSegment()
    /// Whether the segment has been in TIME from the beginning, so that `init` has replaced nothing.
    public private(set) var isInTime = true

    /// Position of the stream, in the time of the segment; nil if it is unknown.
    public var position: Duration? {
        get { Duration(raw.position) }
        set { raw.position = GstClockTime(newValue) }
    }

    /// First timestamp of the segment.
    public var start: Duration? {
        get { Duration(raw.start) }
        set { raw.start = GstClockTime(newValue) }
    }

    /// Timestamp at which the segment ends; nil if it has no end.
    public var stop: Duration? {
        get { Duration(raw.stop) }
        set { raw.stop = GstClockTime(newValue) }
    }

    /// Stream time of `start`; nil if it is unknown.
    public var time: Duration? {
        get { Duration(raw.time) }
        set { raw.time = GstClockTime(newValue) }
    }

    /// Running time of `start`, or in reverse, of `stop`.
    public var base: Duration? {
        get { Duration(raw.base) }
        set { raw.base = GstClockTime(newValue) }
    }

    /// Time from `start`, or in reverse from `stop`, that has already elapsed at the running time `base`.
    public var offset: Duration? {
        get { Duration(raw.offset) }
        set { raw.offset = GstClockTime(newValue) }
    }

    /// Duration of the stream; nil if it is unknown.
    public var duration: Duration? {
        get { Duration(raw.duration) }
        set { raw.duration = GstClockTime(newValue) }
    }

    /// Speed of the playback; negative in reverse.
    public var rate: Double { raw.rate }

    /// An open TIME segment that starts at 0.
    public init() { gst_segment_init(&raw, GST_FORMAT_TIME) }

    init(_ event: UnsafeMutablePointer<GstEvent>) {
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        self.init(segment)
    }

    init(_ segment: GstSegment) {
        raw = segment
        guard raw.format != GST_FORMAT_TIME else { return }
        isInTime = false
        raw.format = GST_FORMAT_TIME
        raw.start = 0
        raw.stop = .max
        raw.time = 0
    }

    /// The segment of a stream whose times are multiplied by `fraction`; speed of the playback and flags remain.
    public func scaled(by fraction: Structure.Fraction) -> Self {
        var scaled = self
        for time in [\Self.start, \.stop, \.time, \.base, \.offset, \.position, \.duration] {
            scaled[keyPath: time] = self[keyPath: time]?.scaled(by: fraction)
        }
        return scaled
    }

    /// Running time of `time`; negative before the start of the segment, nil if `time` is nil.
    ///
    /// The corresponding C function is `gst_segment_to_running_time_full`.
    public func runningTime(of time: Duration?) -> Duration? { runningTime(time.map { UInt64(nanosecondsOf: $0) }) }

    /// Running times of a buffer or of a list.
    public struct RunningTimes: Sendable, Equatable {
        /// Start of the first frame; nil if it is unknown.
        public var start: Duration?
        /// End of the last frame; nil if it is unknown.
        public var end: Duration?
        /// PTS of the first frame; nil if it has none.
        public var presented: Duration?
    }

    /// Running times of the next buffer, or of the next list of buffers.
    ///
    /// A buffer or list without a timestamp starts at `position`.
    public func runningTimes(of facts: BufferFacts) -> RunningTimes {
        let start = runningTime(facts.times.start ?? valid(raw.position))
        let presented = facts.times.presented
        return RunningTimes(
            start: start, end: runningTime(end(of: facts)),
            presented: presented == facts.times.start ? presented.flatMap { _ in start } : runningTime(presented))
    }

    /// Moves `position` to the end of a buffer or of a list.
    public mutating func advance(over facts: BufferFacts) {
        if let end = end(of: facts) { raw.position = guint64(end) }
    }

    private func end(of facts: BufferFacts) -> UInt64? {
        facts.times.end ?? valid(raw.position).map { $0 &+ (facts.times.duration ?? 0) }
    }

    @inline(__always) private func runningTime(_ nanoseconds: UInt64?) -> Duration? {
        guard let nanoseconds else { return nil }
        var result: guint64 = 0
        let sign = withUnsafePointer(to: raw) {
            gst_segment_to_running_time_full($0, GST_FORMAT_TIME, guint64(nanoseconds), &result)
        }
        guard sign != 0 else { return nil }
        let magnitude = Int64(clamping: UInt64(result))
        return Duration(nanoseconds: sign > 0 ? magnitude : -magnitude)
    }

    /// A new SEGMENT event (transfer full).
    func makeEvent() -> UnsafeMutablePointer<GstEvent>? { withUnsafePointer(to: raw) { gst_event_new_segment($0) } }
}
