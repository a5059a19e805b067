import AnalogVideoModel

/// Where the components of a pixel lie in the little-endian word its bytes make.
struct PixelPacking: Sendable {
    let bytesPerPixel: Int
    let redShift: UInt32
    let greenShift: UInt32
    let blueShift: UInt32
    /// The largest value of a component: 255 or 65 535.
    let maximum: UInt32
    /// Whether the bytes of each 16-bit component come the other way round.
    let isByteSwapped: Bool

    init(_ format: PixelFormat) {
        bytesPerPixel = format.bytesPerPixel
        maximum = bytesPerPixel == 8 ? 65_535 : 255
        let (red, green, blue): (UInt32, UInt32, UInt32) =
            switch format {
            case .rgbx, .rgba, .rgb, .rgba64LE, .rgba64BE: (0, 1, 2)
            case .bgrx, .bgra, .bgr, .bgra64LE, .bgra64BE: (2, 1, 0)
            case .xrgb, .argb, .argb64, .argb64LE, .argb64BE: (1, 2, 3)
            case .xbgr, .abgr, .abgr64LE, .abgr64BE: (3, 2, 1)
            }
        let bits: UInt32 = bytesPerPixel == 8 ? 16 : 8
        redShift = red * bits
        greenShift = green * bits
        blueShift = blue * bits
        isByteSwapped =
            switch format {
            case .argb64BE, .rgba64BE, .bgra64BE, .abgr64BE: true
            default: false
            }
    }

    /// The bits of a pixel that are not red, green or blue: alpha or padding, which stay as they are.
    var otherBits: UInt64 {
        let maximum = UInt64(maximum)
        let colour = (maximum << UInt64(redShift)) | (maximum << UInt64(greenShift)) | (maximum << UInt64(blueShift))
        return ~colour
    }

    /// Component `shift` of the pixel `word`.
    @inline(__always)
    func component(_ word: UInt64, _ shift: UInt32) -> UInt32 {
        let value = UInt32(truncatingIfNeeded: word >> UInt64(shift)) & maximum
        return isByteSwapped ? swapped(value) : value
    }

    /// The word of a pixel with these components; the other bits are 0.
    @inline(__always)
    func word(red: UInt32, green: UInt32, blue: UInt32) -> UInt64 {
        let (r, g, b) = isByteSwapped ? (swapped(red), swapped(green), swapped(blue)) : (red, green, blue)
        return (UInt64(r) << UInt64(redShift)) | (UInt64(g) << UInt64(greenShift)) | (UInt64(b) << UInt64(blueShift))
    }

    @inline(__always)
    private func swapped(_ component: UInt32) -> UInt32 { UInt32(UInt16(truncatingIfNeeded: component).byteSwapped) }
}
