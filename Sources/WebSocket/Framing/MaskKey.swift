/// Key of a masked frame (RFC 6455, section 5.3); its first byte on the wire is the most significant one.
struct MaskKey: Sendable, Equatable {
    var value: UInt32

    /// The byte that masks the payload at `offset`.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value >> UInt32(24 &- ((offset & 3) &* 8)))
    }
}
