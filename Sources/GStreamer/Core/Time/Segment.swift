import CGStreamer

/// Which part of a stream is played, and when.
///
/// Streams of bytes count as an open segment of time that begins at 0. The corresponding C type is `GstSegment`.
public struct Segment: @unchecked Sendable {  // A plain value; GstSegment points to nothing.
    private var raw = GstSegment()
    /// Where the stream is, in the segment's own time.
    public var position: UInt64? {
        get { valid(GstClockTime(raw.position)) }
        set { raw.position = guint64(newValue ?? .max) }
    }

    /// A segment of time from 0 on.
    public init() { gst_segment_init(&raw, GST_FORMAT_TIME) }

    init(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_event_copy_segment(event, &raw)
        guard raw.format != GST_FORMAT_TIME else { return }
        raw.format = GST_FORMAT_TIME
        raw.start = 0
        raw.stop = .max
        raw.time = 0
    }

    /// When `time` is shown, in nanoseconds of running time; negative before the segment's beginning.
    public func runningTime(of time: UInt64?) -> Int64? {
        guard let time else { return nil }
        var result: guint64 = 0
        let sign = withUnsafePointer(to: raw) {
            gst_segment_to_running_time_full($0, GST_FORMAT_TIME, guint64(time), &result)
        }
        guard sign != 0 else { return nil }
        let magnitude = Int64(clamping: UInt64(result))
        return sign > 0 ? magnitude : -magnitude
    }

    /// A new SEGMENT event.
    func makeEvent() -> UnsafeMutablePointer<GstEvent>? { withUnsafePointer(to: raw) { gst_event_new_segment($0) } }
}
