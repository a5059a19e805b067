import CGStreamer

extension ElementHost {
    /// Running time of a PTS in the segment of the sink pad, in nanoseconds; nil without PTS or outside of the segment.
    ///
    /// For the host of a `BaseTransform`, on its streaming thread. The corresponding C function is
    /// `gst_segment_to_running_time`.
    public func inputRunningTime(ofPTS pts: UInt64?) -> UInt64? {
        guard let pts else { return nil }
        let transform = raw.assumingMemoryBound(to: GstBaseTransform.self)
        let time = UInt64(gst_segment_to_running_time(&transform.pointee.segment, GST_FORMAT_TIME, guint64(pts)))
        return time == .max ? nil : time
    }
}
