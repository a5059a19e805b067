import AnalogVideoModel

/// The pixels of a frame for the time of one `play`, shared by the bands.
///
/// Bands write disjoint rows; `Player.play` has checked that every row lies inside the memory and holds that memory
/// until the last band is done.
@safe struct Picture: @unchecked Sendable {
    let packing: PixelPacking
    let layout: PictureLayout
    private let base: UnsafeMutableRawPointer

    @unsafe init(_ base: UnsafeMutableRawPointer, layout: PictureLayout) {
        packing = PixelPacking(layout.format)
        self.layout = layout
        unsafe self.base = base
    }

    /// The first byte of pixel `x` of row `y`.
    @inline(__always)
    private func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer {
        unsafe base + ((layout.firstRow + y * layout.stride) + x * packing.bytesPerPixel)
    }

    // MARK: One pixel

    @inline(__always)
    func word(_ x: Int, _ y: Int) -> UInt64 {
        let bytes = unsafe pixel(x, y)
        switch packing.bytesPerPixel {
        case 4: return unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
        case 8: return unsafe bytes.loadUnaligned(as: UInt64.self)
        default:
            let low = unsafe UInt64(bytes.loadUnaligned(as: UInt16.self))
            return unsafe low | (UInt64(bytes.load(fromByteOffset: 2, as: UInt8.self)) << 16)
        }
    }

    @inline(__always)
    func store(_ word: UInt64, _ x: Int, _ y: Int) {
        let bytes = unsafe pixel(x, y)
        switch packing.bytesPerPixel {
        case 4: unsafe bytes.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
        case 8: unsafe bytes.storeBytes(of: word, as: UInt64.self)
        default:
            unsafe bytes.storeBytes(of: UInt16(truncatingIfNeeded: word), as: UInt16.self)
            unsafe bytes.storeBytes(of: UInt8(truncatingIfNeeded: word >> 16), toByteOffset: 2, as: UInt8.self)
        }
    }

    // MARK: Four 32-bit pixels of a row

    /// Where row `y` begins, in bytes.
    func start(ofRow y: Int) -> Int { layout.firstRow + y * layout.stride }

    /// The four pixels from `x` on of the row that begins at `start`.
    @inline(__always)
    func fourWords(_ x: Int, from start: Int) -> SIMD4<UInt32> {
        unsafe (base + (start &+ (x &* 4))).loadUnaligned(as: SIMD4<UInt32>.self)
    }

    /// Replaces the bits of four pixels that `kept` does not name.
    @inline(__always)
    func store(_ words: SIMD4<UInt32>, keeping kept: SIMD4<UInt32>, _ x: Int, from start: Int) {
        let pixels = unsafe base + (start &+ (x &* 4))
        let old = unsafe pixels.loadUnaligned(as: SIMD4<UInt32>.self)
        unsafe pixels.storeBytes(of: words | (old & kept), as: SIMD4<UInt32>.self)
    }
}

/// Eight rows of a picture, by number; a row can be missing.
struct PictureRows: Sendable {
    private var numbers: SIMD8<Int>

    /// No rows.
    init() { numbers = SIMD8(repeating: -1) }

    /// The number of the row in `lane`, or nil.
    subscript(lane: Int) -> Int? {
        get { numbers[lane] < 0 ? nil : numbers[lane] }
        set { numbers[lane] = newValue ?? -1 }
    }

    /// Whether no row is missing.
    var areComplete: Bool { numbers.min() >= 0 }

    var areEmpty: Bool { numbers.max() < 0 }

    /// The number of the row in `lane`; where it is missing, of another one, to read without looking.
    @inline(__always)
    func readable(_ lane: Int) -> Int { numbers[lane] < 0 ? max(0, numbers.max()) : numbers[lane] }
}
