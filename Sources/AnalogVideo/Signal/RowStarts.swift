import CLanes

/// Addresses of the rows of a block, in one plane.
///
/// A missing row has the address of another row, so that reads require no check; writes to it are skipped.
@safe struct RowStarts {
    private let starts: PerRow<UnsafeMutableRawPointer>
    private let areThere: PerRow<Bool>
    /// Whether no row is missing.
    let areAllThere: Bool

    /// `start` returns the address of a row; at least one of `rows` must not be missing.
    @unsafe init(_ rows: PictureRows, _ start: (Int) -> UnsafeMutableRawPointer) {
        let anyLane = (0..<rowsPerBlock).first { rows[$0] != nil } ?? 0
        let anyRow = rows[anyLane] ?? 0
        unsafe starts = PerRow { unsafe start(rows[$0] ?? anyRow) }
        areThere = PerRow { rows[$0] != nil }
        areAllThere = rows.areAllThere
    }

    // MARK: One pixel

    @inline(__always)
    func word<Size: PixelSize>(_ x: Int, _ lane: Int, _: Size.Type) -> UInt64 {
        unsafe Size.load(starts[lane] + (x &* Size.bytes))
    }

    /// Stores `word` in a pixel; the bits that are 1 in `kept` are not changed.
    @inline(__always)
    func store<Size: PixelSize>(_ word: UInt64, keeping kept: UInt64, _ x: Int, _ lane: Int, _: Size.Type) {
        guard areThere[lane] else { return }
        let pixel = unsafe starts[lane] + (x &* Size.bytes)
        unsafe Size.store(word | (Size.load(pixel) & kept), pixel)
    }

    // MARK: As many 32-bit pixels of a row as a block has rows

    /// The pixels from `x` on of the row in `lane`.
    @inline(__always)
    func pixels(_ x: Int, _ lane: Int) -> LaneBits {
        let pixels = unsafe starts[lane] + (x &* 4)
        #if SIXTEEN_ROWS
            // Four cache lines ahead, because the processor does not prefetch all of sixteen rows in time.
            unsafe clanes_prefetch(pixels + 256)
        #endif
        return unsafe pixels.loadUnaligned(as: LaneBits.self)
    }

    /// Stores pixels; the bytes that are 255 in `kept` are not changed.
    @inline(__always)
    func store(_ words: LaneBits, keeping kept: LaneBits, _ x: Int, _ lane: Int) {
        guard areThere[lane] else { return }
        unsafe clanes_replace(starts[lane] + (x &* 4), words, keeping: kept)
    }

    // MARK: Four bytes of every row

    /// The four bytes of each row from offset `4 * word` on; the first byte is in the lowest bits.
    @inline(__always)
    func bytes(_ word: Int) -> LaneBits {
        LaneBits { bytes(word, $0) }
    }

    @inline(__always)
    private func bytes(_ word: Int, _ lane: Int) -> UInt32 {
        unsafe (starts[lane] + (word &* 4)).loadUnaligned(as: UInt32.self)
    }

    /// Calls `use` with the number of each of the first `count` words, and with the word in all rows.
    @inline(__always)
    func forEachWord(_ count: Int, _ use: (Int, LaneBits) -> Void) {
        var word = 0
        #if arch(arm64)
            // To load four words of each row takes fewer instructions than to load four rows of each word.
            while word &+ 4 <= count {
                transpose({ pixels(word, $0) }, { use(word &+ $0, $1) })
                word &+= 4
            }
        #endif
        while word < count {
            use(word, bytes(word))
            word &+= 1
        }
    }

    /// Calls `use` with the number of each of the first `count` words, and with the word in all rows of both.
    @inline(__always)
    func forEachWord(_ count: Int, with other: RowStarts, _ use: (Int, LaneBits, LaneBits) -> Void) {
        var word = 0
        #if arch(arm64)
            while word &+ 4 <= count {
                let (own, others) = (transposed { pixels(word, $0) }, transposed { other.pixels(word, $0) })
                use(word, own.0, others.0)
                use(word &+ 1, own.1, others.1)
                use(word &+ 2, own.2, others.2)
                use(word &+ 3, own.3, others.3)
                word &+= 4
            }
        #endif
        while word < count {
            use(word, bytes(word), other.bytes(word))
            word &+= 1
        }
    }

    /// Word number `word` of each row; the rows end at byte `end`, inside the word; missing bytes are 0.
    func bytes(_ word: Int, end: Int) -> LaneBits {
        var words = LaneBits(repeating: 0)
        for lane in 0..<rowsPerBlock {
            for index in (word * 4)..<min(end, word * 4 + 4) {
                let byte = unsafe starts[lane].load(fromByteOffset: index, as: UInt8.self)
                words[lane] |= UInt32(byte) << UInt32((index & 3) * 8)
            }
        }
        return words
    }

    /// Stores four bytes in each row; the bits that are 1 in `kept` are not changed.
    @inline(__always)
    func store(_ words: LaneBits, keeping kept: UInt32, _ word: Int) {
        let old = kept == 0 ? words : bytes(word) & LaneBits(repeating: kept)
        let new = words | old
        guard areAllThere else {
            for lane in 0..<rowsPerBlock where areThere[lane] { store(new[lane], word, lane) }
            return
        }
        // The lanes are stored in groups of four, because access to a lane of a wider vector goes through memory.
        for group in 0..<(rowsPerBlock / 4) {
            let (four, lane) = (new.four(group), 4 * group)
            store(four[0], word, lane)
            store(four[1], word, lane + 1)
            store(four[2], word, lane + 2)
            store(four[3], word, lane + 3)
        }
    }

    @inline(__always)
    private func store(_ bytes: UInt32, _ word: Int, _ lane: Int) {
        unsafe (starts[lane] + (word &* 4)).storeBytes(of: bytes, as: UInt32.self)
    }

    /// Stores a word in each row, like `store(_:keeping:_:)`; the rows end at byte `end`, inside the word.
    func store(_ words: LaneBits, keeping kept: UInt32, _ word: Int, end: Int) {
        let new = words | (bytes(word, end: end) & LaneBits(repeating: kept))
        for lane in 0..<rowsPerBlock where areThere[lane] {
            for index in (word * 4)..<min(end, word * 4 + 4) {
                let byte = UInt8(truncatingIfNeeded: new[lane] >> UInt32((index & 3) * 8))
                unsafe starts[lane].storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            }
        }
    }
}

/// Number of bytes in a pixel, with the corresponding loads and stores.
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
