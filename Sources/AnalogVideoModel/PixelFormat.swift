/// A video format; the raw value is its name in GStreamer.
public enum PixelFormat: String, CaseIterable, Sendable {
    /// 8 bits per component, in the order of the name; x is unused.
    case rgbx = "RGBx", bgrx = "BGRx", xrgb = "xRGB", xbgr = "xBGR", rgba = "RGBA", bgra = "BGRA", argb = "ARGB",
        abgr = "ABGR", rgb = "RGB", bgr = "BGR"
    /// 16 bits per component, in the byte order of the machine.
    case argb64 = "ARGB64"
    /// 16 bits per component, little-endian or big-endian.
    case argb64LE = "ARGB64_LE", argb64BE = "ARGB64_BE", rgba64LE = "RGBA64_LE", rgba64BE = "RGBA64_BE",
        bgra64LE = "BGRA64_LE", bgra64BE = "BGRA64_BE", abgr64LE = "ABGR64_LE", abgr64BE = "ABGR64_BE"
    /// 4:2:0, one plane for each component.
    case i420 = "I420"
    /// Like `i420`, but with blue and red chroma exchanged.
    case yv12 = "YV12"
    /// 4:2:0, one plane for luma and one for interleaved chroma.
    case nv12 = "NV12"
    /// Like `nv12`, but with blue and red chroma exchanged.
    case nv21 = "NV21"
    /// 4:2:2, one plane for each component.
    case y42b = "Y42B"
    /// 4:4:4, one plane for each component.
    case y444 = "Y444"
    /// 4:2:2 in one plane.
    case yuy2 = "YUY2"
    /// Like `yuy2`, but with the components in the order that the name gives.
    case uyvy = "UYVY", yvyu = "YVYU", vyuy = "VYUY"
    /// 4:4:4 in one plane.
    case ayuv = "AYUV"
    /// 4:2:0 with 10 bits in the low bits of 16.
    case i420Of10 = "I420_10LE"
    /// 4:2:0 with 10 bits in the high bits of 16.
    case p010 = "P010_10LE"
    /// Luma only.
    case gray8 = "GRAY8"

    /// Distance between two pixels in a row of the first plane, in bytes.
    public var bytesPerPixel: Int {
        switch self {
        case .rgb, .bgr: 3
        case .rgbx, .bgrx, .xrgb, .xbgr, .rgba, .bgra, .argb, .abgr, .ayuv: 4
        case .yuy2, .uyvy, .yvyu, .vyuy, .i420Of10, .p010: 2
        case .i420, .yv12, .nv12, .nv21, .y42b, .y444, .gray8: 1
        default: 8
        }
    }

    /// R'G'B' formats, which have one plane.
    public static let allRGB = allCases.filter { $0.yuv == nil }

    /// Y'CbCr formats and `gray8`.
    public static let allYUV = allCases.filter { $0.yuv != nil }

    /// Whether a component has more than 8 bits.
    public var isDeep: Bool { yuv.map { $0.depth > 8 } ?? (bytesPerPixel == 8) }

    // MARK: Planes

    /// Number of planes.
    public var planeCount: Int {
        guard let yuv else { return 1 }
        return max(yuv.luma.plane, yuv.chromaBlue?.plane ?? 0, yuv.chromaRed?.plane ?? 0) + 1
    }

    /// Number of rows of a plane in a picture of `height` rows; 0 if the format does not have the plane.
    public func rows(ofPlane plane: Int, height: Int) -> Int {
        guard plane < planeCount, height > 0 else { return 0 }
        return plane > 0 && yuv?.verticalShift == 1 ? (height - 1) / 2 + 1 : height
    }

    /// Number of bytes in a row of a plane, without padding; nil if the number overflows.
    public func rowBytes(ofPlane plane: Int, width: Int) -> Int? {
        guard plane < planeCount, width > 0 else { return 0 }
        let pairs = (width - 1) / 2 + 1
        let size: (count: Int, bytes: Int) =
            switch self {
            case .yuy2, .uyvy, .yvyu, .vyuy: (pairs, 4)
            case .nv12, .nv21: plane > 0 ? (pairs, 2) : (width, 1)
            case .p010: plane > 0 ? (pairs, 4) : (width, 2)
            case .i420, .yv12, .y42b: plane > 0 ? (pairs, 1) : (width, 1)
            case .i420Of10: plane > 0 ? (pairs, 2) : (width, 2)
            default: (width, bytesPerPixel)
            }
        let product = size.count.multipliedReportingOverflow(by: size.bytes)
        return product.overflow ? nil : product.partialValue
    }
}
