/// Appends fields of any width in bits, with the most significant bit first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingCount = 0

    /// Appends the lowest `width` bits of `value`; `width` is at most 32.
    mutating func append(_ value: some FixedWidthInteger, _ width: Int) {
        let bits = UInt64(truncatingIfNeeded: value) & ((1 << UInt64(width)) - 1)
        pending = (pending << UInt64(width)) | bits
        pendingCount += width
        while pendingCount >= 8 {
            pendingCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount)))
        }
        pending &= (1 << UInt64(pendingCount)) - 1
    }

    /// Appends zero bits up to a whole byte.
    mutating func align() {
        if pendingCount > 0 { append(0, 8 - pendingCount) }
    }
}
