/// Access to samples as numbers from -1 to 1.
extension SampleFormat {
    /// Loads the sample that starts at `offset`.
    @inline(__always)
    func load(_ bytes: RawSpan, at offset: Int) -> Double {
        // The callers check the byte count of the whole buffer; `unsafeLoadUnaligned` checks each offset again.
        switch encoding {
        case .signed8: Double(Int8(bitPattern: word(bytes, offset))) / 0x1p7
        case .unsigned8: Double(Int8(bitPattern: word(bytes, offset) ^ 0x80)) / 0x1p7
        case .signed16: Double(Int16(bitPattern: word(bytes, offset))) / 0x1p15
        case .signed24:
            Double(
                isBigEndian
                    ? Self.join24(word(bytes, offset + 1), Int8(bitPattern: word(bytes, offset)))
                    : Self.join24(word(bytes, offset), Int8(bitPattern: word(bytes, offset + 2)))) / 0x1p23
        // The upper 8 bits are undefined.
        case .signed24in32: Double(Int32(bitPattern: word(bytes, offset)) << 8) / 0x1p31
        case .signed32: Double(Int32(bitPattern: word(bytes, offset))) / 0x1p31
        case .float32: Double(Float(bitPattern: word(bytes, offset)))
        case .float64: Double(bitPattern: word(bytes, offset))
        }
    }

    /// Stores `value` at `offset`; integers are rounded and saturate, and NaN becomes 0.
    @inline(__always)
    func store(_ value: Double, to bytes: inout MutableRawSpan, at offset: Int) {
        switch encoding {
        case .signed8: set(UInt8(truncatingIfNeeded: Self.integer(value, scale: 0x1p7)), &bytes, offset)
        case .unsigned8: set(UInt8(truncatingIfNeeded: Self.integer(value, scale: 0x1p7)) ^ 0x80, &bytes, offset)
        case .signed16: set(UInt16(truncatingIfNeeded: Self.integer(value, scale: 0x1p15)), &bytes, offset)
        case .signed24:
            let sample = Self.integer(value, scale: 0x1p23)
            set(UInt16(truncatingIfNeeded: sample), &bytes, isBigEndian ? offset + 1 : offset)
            set(UInt8(truncatingIfNeeded: sample >> 16), &bytes, isBigEndian ? offset : offset + 2)
        case .signed24in32: set(UInt32(truncatingIfNeeded: Self.integer(value, scale: 0x1p23)), &bytes, offset)
        case .signed32: set(UInt32(truncatingIfNeeded: Self.integer(value, scale: 0x1p31)), &bytes, offset)
        case .float32: set(Float(value).bitPattern, &bytes, offset)
        case .float64: set(value.bitPattern, &bytes, offset)
        }
    }

    @inline(__always)
    private func word<Word: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan, _ offset: Int) -> Word {
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
        return isBigEndian ? Word(bigEndian: word) : Word(littleEndian: word)
    }

    @inline(__always)
    private func set<Word: FixedWidthInteger & BitwiseCopyable>(
        _ word: Word, _ bytes: inout MutableRawSpan, _ offset: Int
    ) {
        bytes.storeBytes(of: isBigEndian ? word.bigEndian : word.littleEndian, toByteOffset: offset, as: Word.self)
    }

    private static func join24(_ low: UInt16, _ high: Int8) -> Int32 { (Int32(high) << 16) | Int32(low) }

    private static func integer(_ value: Double, scale: Double) -> Int {
        let scaled = (value * scale).rounded(.toNearestOrEven)
        guard !scaled.isNaN else { return 0 }
        return Int(min(max(scaled, -scale), scale - 1))
    }
}
