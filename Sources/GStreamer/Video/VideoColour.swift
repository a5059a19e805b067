import CGStreamer

/// Range, matrix and chroma siting of a YUV format.
///
/// The corresponding C types are `GstVideoColorimetry` and `GstVideoChromaSite`.
public struct VideoColour: Sendable {
    /// Luma coefficients Kr and Kb; nil if the caps have no matrix.
    public let weights: (red: Double, blue: Double)?
    /// Whether luma uses the full range; false for 16 to 235 (8 bit) or an unknown range.
    public let isFullRange: Bool
    /// Whether chroma samples are co-sited with the left luma column; false if they are centered between two columns.
    public let isCositedHorizontally: Bool
    /// Whether chroma samples are co-sited with the top luma row; false if they are centered between two rows.
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
