import CGStreamer
import Durations

/// The part of a stream to play, with the conversion to running time.
///
/// In a segment of another format, `init` replaces format, start, stop and time by those of an open TIME segment. The
/// corresponding C type is `GstSegment`.
public struct Segment: @unchecked Sendable {  // GstSegment contains no pointers.
    private var raw = GstSegment()
    /// Position of the stream, in the time of the segment; nil if it is unknown.
    public var position: Duration? {
        get { Duration(GstClockTime(raw.position)) }
        set { raw.position = guint64(GstClockTime(newValue)) }
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
        raw.format = GST_FORMAT_TIME
        raw.start = 0
        raw.stop = .max
        raw.time = 0
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
