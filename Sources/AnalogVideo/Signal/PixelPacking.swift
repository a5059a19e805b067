import AnalogVideoModel
import CLanes

/// Positions of red, green and blue in a pixel that is read as a little-endian word.
struct PixelPacking: Sendable {
    let bytesPerPixel: Int
    let redShift: UInt32
    let greenShift: UInt32
    let blueShift: UInt32
    /// Largest value of a component: 255 or 65 535.
    let maximum: UInt32
    /// Whether the 16-bit components are big-endian.
    let isByteSwapped: Bool

    init(_ format: PixelFormat) {
        bytesPerPixel = format.bytesPerPixel
        maximum = bytesPerPixel == 8 ? 65_535 : 255
        let (red, green, blue): (UInt32, UInt32, UInt32) =
            switch format {
            case .bgrx, .bgra, .bgr, .bgra64LE, .bgra64BE: (2, 1, 0)
            case .xrgb, .argb, .argb64, .argb64LE, .argb64BE: (1, 2, 3)
            case .xbgr, .abgr, .abgr64LE, .abgr64BE: (3, 2, 1)
            default: (0, 1, 2)
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

    /// Bits of a pixel that are not red, green or blue: alpha or padding, which do not change.
    var otherBits: UInt64 {
        let maximum = UInt64(maximum)
        let colour = (maximum << UInt64(redShift)) | (maximum << UInt64(greenShift)) | (maximum << UInt64(blueShift))
        return ~colour
    }

    /// One component of a pixel of each row.
    @inline(__always)
    func component(_ words: Block<UInt64>, _ shift: UInt32) -> LaneBits {
        let values = narrowed(words &>> Block(repeating: UInt64(shift)))
        return swapped(values & LaneBits(repeating: maximum))
    }

    /// Words of a pixel of each row with these components; all other bits are 0.
    @inline(__always)
    func words(_ red: LaneBits, _ green: LaneBits, _ blue: LaneBits) -> Block<UInt64> {
        placed(red, redShift) | placed(green, greenShift) | placed(blue, blueShift)
    }

    @inline(__always)
    private func placed(_ component: LaneBits, _ shift: UInt32) -> Block<UInt64> {
        widened(swapped(component)) &<< Block(repeating: UInt64(shift))
    }

    @inline(__always)
    private func swapped(_ components: LaneBits) -> LaneBits {
        guard isByteSwapped else { return components }
        let eight = LaneBits(repeating: 8)
        return ((components &<< eight) | (components &>> eight)) & LaneBits(repeating: 0xFFFF)
    }
}

/// The bytes of red, green and blue in pixels of four bytes, for a pixel of each row.
struct PixelBytes {
    #if arch(arm64)
        // Numbers of the bytes for an instruction that selects bytes; without a byte, 255 gives 0.
        private let red, green, blue, pixel: LaneBits

        init(_ packing: PixelPacking) {
            let shifts: InlineArray<3, UInt32> = [packing.redShift, packing.greenShift, packing.blueShift]
            let numbers = InlineArray<3, LaneBits> { component in
                LaneBits { 0xFFFF_FF00 | (UInt32($0) * 4 + shifts[component] / 8) }
            }
            (red, green, blue) = (numbers[0], numbers[1], numbers[2])
            pixel = LaneBits { lane in
                var numbers: UInt32 = 0xFFFF_FFFF
                for component in 0..<3 {
                    numbers ^= (0xFF ^ UInt32(component * 16 + lane * 4)) << shifts[component]
                }
                return numbers
            }
        }

        @inline(__always)
        func components(of pixels: LaneBits) -> (red: LaneBits, green: LaneBits, blue: LaneBits) {
            (clanes_bytes(pixels, red), clanes_bytes(pixels, green), clanes_bytes(pixels, blue))
        }

        /// Pixels of components up to 255; all other bits are 0.
        @inline(__always)
        func pixels(_ r: LaneBits, _ g: LaneBits, _ b: LaneBits) -> LaneBits { clanes_bytes(r, g, b, pixel) }
    #else
        private let redShift, greenShift, blueShift, mask: LaneBits

        init(_ packing: PixelPacking) {
            redShift = LaneBits(repeating: packing.redShift)
            greenShift = LaneBits(repeating: packing.greenShift)
            blueShift = LaneBits(repeating: packing.blueShift)
            mask = LaneBits(repeating: packing.maximum)
        }

        @inline(__always)
        func components(of pixels: LaneBits) -> (red: LaneBits, green: LaneBits, blue: LaneBits) {
            ((pixels &>> redShift) & mask, (pixels &>> greenShift) & mask, (pixels &>> blueShift) & mask)
        }

        @inline(__always)
        func pixels(_ r: LaneBits, _ g: LaneBits, _ b: LaneBits) -> LaneBits {
            (r &<< redShift) | (g &<< greenShift) | (b &<< blueShift)
        }
    #endif
}

// The conversions of the standard library are not always inlined, and RGB then takes a third longer.

@inline(__always)
private func widened(_ values: LaneBits) -> Block<UInt64> {
    var wide = Block<UInt64>(repeating: 0)
    for lane in 0..<rowsPerBlock { wide[lane] = UInt64(values[lane]) }
    return wide
}

@inline(__always)
private func narrowed(_ values: Block<UInt64>) -> LaneBits {
    var narrow = LaneBits(repeating: 0)
    for lane in 0..<rowsPerBlock { narrow[lane] = UInt32(truncatingIfNeeded: values[lane]) }
    return narrow
}
