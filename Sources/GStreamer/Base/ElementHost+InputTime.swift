import CGStreamer
import Durations

extension ElementHost {
    /// Running time of a PTS in the segment of the sink pad; nil without a PTS or outside the segment.
    ///
    /// Call this on the streaming thread of a `BaseTransform`; the result is nil for any other element. The
    /// corresponding C function is `gst_segment_to_running_time`.
    public func inputRunningTime(ofPTS pts: Duration?) -> Duration? {
        guard let pts else { return nil }
        return withTransform {
            let time = gst_segment_to_running_time(
                &$0.pointee.segment, GST_FORMAT_TIME, guint64(UInt64(nanosecondsOf: pts)))
            return time == .max ? nil : Duration(nanoseconds: time)
        }
    }

    /// The segment of the sink pad.
    ///
    /// Read this on the streaming thread of a `BaseTransform`; the value is nil for any other element. The
    /// corresponding C field is `segment`.
    public var inputSegment: Segment? { withTransform { Segment($0.pointee.segment) } }

    private func withTransform<R>(_ body: (UnsafeMutablePointer<GstBaseTransform>) -> R?) -> R? {
        let result = withUnsafePointer { element -> R? in
            guard g_type_is_a(cgst_type_of_instance(element), gst_base_transform_get_type()) != 0 else { return nil }
            return body(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBaseTransform.self))
        }
        return result ?? nil
    }
}
