import CGStreamer

/// Range and matrix of the numbers of a picture of luma and chroma.
///
/// The corresponding C types are `GstVideoColorimetry` and `GstVideoChromaSite`.
public struct VideoColour: Sendable {
    /// The parts of red and blue in luma, Kr and Kb; nil where the caps name none.
    public let weights: (red: Double, blue: Double)?
    /// Whether luma uses all numbers, not only those from 16 to 235 (of 8 bit).
    public let isFullRange: Bool
    /// Whether chroma lies on the left of the columns it stands for, not in their middle.
    public let isCositedHorizontally: Bool
    /// Whether chroma lies on the upper of the rows it stands for, not in their middle.
    public let isCositedVertically: Bool

    init(_ info: UnsafePointer<GstVideoInfo>) {
        var (red, blue) = (gdouble(0), gdouble(0))
        let isKnown = gst_video_color_matrix_get_Kr_Kb(info.pointee.colorimetry.matrix, &red, &blue) != 0
        weights = isKnown ? (red, blue) : nil
        isFullRange = info.pointee.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
        let site = info.pointee.chroma_site.rawValue
        isCositedHorizontally = (site & GST_VIDEO_CHROMA_SITE_H_COSITED.rawValue) != 0
        isCositedVertically = (site & GST_VIDEO_CHROMA_SITE_V_COSITED.rawValue) != 0
    }
}
