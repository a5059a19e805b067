import CGStreamer
import Durations

extension ElementHost {
    /// Running time of a PTS in the segment of the sink pad; nil without a PTS, outside the segment, or in a segment of
    /// bytes.
    ///
    /// For the host of a `BaseTransform` or `BaseSink`, on its streaming thread; nil for any other host. The
    /// corresponding C function is `gst_segment_to_running_time`.
    public func inputRunningTime(ofPTS pts: Duration?) -> Duration? {
        guard let pts else { return nil }
        return withSegment {
            guard $0.pointee.format == GST_FORMAT_TIME else { return nil }
            let time = gst_segment_to_running_time($0, GST_FORMAT_TIME, guint64(UInt64(nanosecondsOf: pts)))
            return time == .max ? nil : Duration(nanoseconds: time)
        }
    }

    /// The segment of the sink pad.
    ///
    /// For the host of a `BaseTransform` or `BaseSink`, on its streaming thread; nil for any other host. The
    /// corresponding C field is `segment`.
    public var inputSegment: Segment? { withSegment { Segment($0.pointee) } }

    /// Pushes a buffer from the source pad before the output of the present call.
    ///
    /// For the host of a `BaseTransform`, on its streaming thread; the caller holds no mutex. Any other host returns
    /// `.error`. The corresponding C function is `gst_pad_push`.
    public func pushOutput(_ buffer: consuming Buffer) -> FlowResult {
        var buffer: Buffer? = buffer
        let result = withUnsafePointer { element -> FlowResult? in
            guard g_type_is_a(cgst_type_of_instance(element), gst_base_transform_get_type()) != 0,
                let buffer = buffer.take()
            else { return nil }
            let transform = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBaseTransform.self)
            return FlowResult(gst_pad_push(transform.pointee.srcpad, buffer.give()))
        }
        return (result ?? nil) ?? .error
    }

    private func withSegment<R>(_ body: (UnsafeMutablePointer<GstSegment>) -> R?) -> R? {
        let result = withUnsafePointer { element -> R? in
            let type = cgst_type_of_instance(element)
            let raw = UnsafeMutableRawPointer(element)
            if g_type_is_a(type, gst_base_transform_get_type()) != 0 {
                return body(&raw.assumingMemoryBound(to: GstBaseTransform.self).pointee.segment)
            }
            guard g_type_is_a(type, gst_base_sink_get_type()) != 0 else { return nil }
            return body(&raw.assumingMemoryBound(to: GstBaseSink.self).pointee.segment)
        }
        return result ?? nil
    }
}
