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

    /// Where row `y` begins, in bytes.
    func start(ofRow y: Int) -> Int { layout.firstRow + y * layout.stride }

    // MARK: One pixel

    /// Pixel `x` of the row that begins at `start`.
    @inline(__always)
    func word<Size: PixelSize>(_ x: Int, from start: Int, _: Size.Type) -> UInt64 {
        unsafe Size.load(base + (start &+ (x &* Size.bytes)))
    }

    /// Replaces the bits of a pixel that `kept` does not name.
    @inline(__always)
    func store<Size: PixelSize>(_ word: UInt64, keeping kept: UInt64, _ x: Int, from start: Int, _: Size.Type) {
        let pixel = unsafe base + (start &+ (x &* Size.bytes))
        unsafe Size.store(word | (Size.load(pixel) & kept), pixel)
    }

    // MARK: Four 32-bit pixels of a row

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

/// How many bytes a pixel has.
protocol PixelSize {
    static var bytes: Int { get }
    @unsafe static func load(_ pixel: UnsafeMutableRawPointer) -> UInt64
    @unsafe static func store(_ word: UInt64, _ pixel: UnsafeMutableRawPointer)
}

enum ThreeBytes: PixelSize {
    static let bytes = 3

    @inline(__always)
    @unsafe static func load(_ pixel: UnsafeMutableRawPointer) -> UInt64 {
        let low = unsafe UInt64(pixel.loadUnaligned(as: UInt16.self))
        return unsafe low | (UInt64(pixel.load(fromByteOffset: 2, as: UInt8.self)) << 16)
    }

    @inline(__always)
    @unsafe static func store(_ word: UInt64, _ pixel: UnsafeMutableRawPointer) {
        unsafe pixel.storeBytes(of: UInt16(truncatingIfNeeded: word), as: UInt16.self)
        unsafe pixel.storeBytes(of: UInt8(truncatingIfNeeded: word >> 16), toByteOffset: 2, as: UInt8.self)
    }
}

enum FourBytes: PixelSize {
    static let bytes = 4

    @inline(__always)
    @unsafe static func load(_ pixel: UnsafeMutableRawPointer) -> UInt64 {
        unsafe UInt64(pixel.loadUnaligned(as: UInt32.self))
    }

    @inline(__always)
    @unsafe static func store(_ word: UInt64, _ pixel: UnsafeMutableRawPointer) {
        unsafe pixel.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
    }
}

enum EightBytes: PixelSize {
    static let bytes = 8

    @inline(__always)
    @unsafe static func load(_ pixel: UnsafeMutableRawPointer) -> UInt64 {
        unsafe pixel.loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    @unsafe static func store(_ word: UInt64, _ pixel: UnsafeMutableRawPointer) {
        unsafe pixel.storeBytes(of: word, as: UInt64.self)
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

    var areEmpty: Bool { numbers.max() < 0 }

    /// The number of the row in `lane`; where it is missing, of another one, to read without looking.
    @inline(__always)
    func readable(_ lane: Int) -> Int { numbers[lane] < 0 ? max(0, numbers.max()) : numbers[lane] }
}
