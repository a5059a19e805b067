import CGStreamer

/// Sets properties with control bindings to their values at the stream time of `buffer`.
///
/// The corresponding C function is `gst_object_sync_values`.
func syncControlledProperties<C>(
    of instance: UnsafeMutablePointer<C>, _ segment: UnsafePointer<GstSegment>,
    at buffer: UnsafeMutablePointer<GstBuffer>
) {
    let object = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstObject.self)
    // There is no stream time before the first TIME segment.
    guard gst_object_has_active_control_bindings(object) != 0, segment.pointee.format == GST_FORMAT_TIME else { return }
    let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, guint64(buffer.pointee.pts))
    guard UInt64(time) != .max else { return }
    gst_object_sync_values(object, GstClockTime(time))
}
