/// Samples as numbers from -1 to 1.
extension SampleFormat {
    /// The sample at `offset`, which must be that of a whole sample.
    @inline(__always)
    func load(_ bytes: RawSpan, at offset: Int) -> Double {
        // The callers check the number of bytes of the whole buffer; `unsafeLoadUnaligned` checks each offset once more.
        switch self {
        case .signed16:
            Double(Int16(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Int16.self)))
                / 0x1p15
        case .signed24:
            Double(
                Self.join24(
                    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self),
                    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset + 2, as: Int8.self))) / 0x1p23
        case .signed24in32:
            // The upper 8 bits are undefined.
            Double(
                Int32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Int32.self)) << 8)
                / 0x1p31
        case .signed32:
            Double(Int32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Int32.self)))
                / 0x1p31
        case .float32:
            Double(
                Float(
                    bitPattern: UInt32(
                        littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))))
        case .float64:
            Double(
                bitPattern: UInt64(
                    littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
    }

    /// Stores `value` at `offset`; integers are rounded and saturate, and NaN becomes 0.
    @inline(__always)
    func store(_ value: Double, to bytes: inout MutableRawSpan, at offset: Int) {
        switch self {
        case .signed16:
            let sample = Int16(Self.integer(value, scale: 0x1p15))
            bytes.storeBytes(of: sample.littleEndian, toByteOffset: offset, as: Int16.self)
        case .signed24:
            let sample = Int32(Self.integer(value, scale: 0x1p23))
            bytes.storeBytes(
                of: UInt16(truncatingIfNeeded: sample).littleEndian, toByteOffset: offset, as: UInt16.self)
            bytes.storeBytes(
                of: UInt8(truncatingIfNeeded: sample >> 16), toByteOffset: offset + 2, as: UInt8.self)
        case .signed24in32:
            let sample = Int32(Self.integer(value, scale: 0x1p23))
            bytes.storeBytes(of: sample.littleEndian, toByteOffset: offset, as: Int32.self)
        case .signed32:
            let sample = Int32(Self.integer(value, scale: 0x1p31))
            bytes.storeBytes(of: sample.littleEndian, toByteOffset: offset, as: Int32.self)
        case .float32:
            bytes.storeBytes(
                of: Float(value).bitPattern.littleEndian, toByteOffset: offset, as: UInt32.self)
        case .float64:
            bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: offset, as: UInt64.self)
        }
    }

    private static func join24(_ low: UInt16, _ high: Int8) -> Int32 {
        (Int32(high) << 16) | Int32(UInt16(littleEndian: low))
    }

    private static func integer(_ value: Double, scale: Double) -> Int {
        let scaled = (value * scale).rounded(.toNearestOrEven)
        guard !scaled.isNaN else { return 0 }
        return Int(min(max(scaled, -scale), scale - 1))
    }
}
