import AnalogVideoModel
import CGStreamer

/// Buffer flags that describe fields.
enum FieldFlags {
    static let interlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue
    static let topFirst = GST_VIDEO_BUFFER_FLAG_TFF.rawValue
    static let oneField = GST_VIDEO_BUFFER_FLAG_ONEFIELD.rawValue
}

/// GStreamer's number of a format.
///
/// The function does not call `gst_video_format_from_string`, which is declared G_GNUC_CONST, so that the compiler may
/// free the text before the call.
func number(of format: PixelFormat) -> GstVideoFormat {
    var info = GstVideoInfo()
    let caps = gst_caps_from_string(format.caps(1, 1))
    defer { gst_caps_unref(caps) }
    gst_video_info_from_caps(&info, caps)
    return info.finfo.pointee.format
}
