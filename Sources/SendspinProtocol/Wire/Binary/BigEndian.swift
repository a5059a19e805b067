enum BigEndian {
    /// Reads a number from the first bytes; nil if there are too few bytes.
    static func read<Value: FixedWidthInteger>(_ bytes: some Collection<UInt8>) -> Value? {
        let count = Value.bitWidth / 8
        guard bytes.count >= count else { return nil }
        var value: Value = 0
        for byte in bytes.prefix(count) { value = (value << 8) | Value(truncatingIfNeeded: byte) }
        return value
    }

    static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        (0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
    }
}
