/// The order of the components of a pixel in memory; named as in GStreamer's caps.
public enum PixelFormat: String, CaseIterable, Sendable {
    case rgbx = "RGBx"
    case bgrx = "BGRx"
    case xrgb = "xRGB"
    case xbgr = "xBGR"
    case rgba = "RGBA"
    case bgra = "BGRA"
    case argb = "ARGB"
    case abgr = "ABGR"
    case rgb = "RGB"
    case bgr = "BGR"
    /// 16 bit per component, in the byte order of the machine.
    case argb64 = "ARGB64"
    case argb64LE = "ARGB64_LE"
    case argb64BE = "ARGB64_BE"
    case rgba64LE = "RGBA64_LE"
    case rgba64BE = "RGBA64_BE"
    case bgra64LE = "BGRA64_LE"
    case bgra64BE = "BGRA64_BE"
    case abgr64LE = "ABGR64_LE"
    case abgr64BE = "ABGR64_BE"

    /// From one pixel of a row to the next.
    public var bytesPerPixel: Int {
        switch self {
        case .rgb, .bgr: 3
        case .rgbx, .bgrx, .xrgb, .xbgr, .rgba, .bgra, .argb, .abgr: 4
        default: 8
        }
    }

    /// The formats of 8 bit per component.
    public static var eightBit: [PixelFormat] { allCases.filter { $0.bytesPerPixel < 8 } }

    /// The formats of 16 bit per component.
    public static var sixteenBit: [PixelFormat] { allCases.filter { $0.bytesPerPixel == 8 } }
}

/// How a picture lies in the bytes that hold it.
public struct PictureLayout: Sendable, Equatable {
    public var format: PixelFormat
    /// In pixels.
    public var width: Int
    /// Rows in these bytes.
    public var height: Int
    /// Where the first row starts, in bytes.
    public var firstRow: Int
    /// From one row to the next, in bytes; negative where the rows lie bottom-up.
    public var stride: Int

    public init(format: PixelFormat, width: Int, height: Int, firstRow: Int = 0, stride: Int) {
        self.format = format
        self.width = width
        self.height = height
        self.firstRow = firstRow
        self.stride = stride
    }

    /// Whether every row lies inside `byteCount` bytes, apart from the others.
    public func fits(in byteCount: Int) -> Bool {
        guard width > 0, height > 0 else { return false }
        let rowBytes = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        let climb = stride.multipliedReportingOverflow(by: height - 1)
        let lastRow = firstRow.addingReportingOverflow(climb.partialValue)
        let end = max(firstRow, lastRow.partialValue).addingReportingOverflow(rowBytes.partialValue)
        guard !rowBytes.overflow, !climb.overflow, !lastRow.overflow, !end.overflow else { return false }
        guard height == 1 || stride.magnitude >= rowBytes.partialValue else { return false }
        return min(firstRow, lastRow.partialValue) >= 0 && end.partialValue <= byteCount
    }
}
