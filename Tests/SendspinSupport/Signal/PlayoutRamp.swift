/// The ramp that the virtual DAC of the tests recognizes; `Tests/CVirtualDAC/include/CVirtualDAC.h` defines it.
enum PlayoutRamp {
    private static let period: Int64 = 32_767 * 32_768

    /// Sample of a channel with 16, 24 or 32 bits.
    static func sample(_ index: Int64, channel: Int, bitDepth: Int) -> Int32 {
        let place = ((index % period) + period) % period
        let (low, high) = (place & 32_767, place >> 15)
        let isLeft = channel.isMultiple(of: 2)
        let value = Int32(isLeft ? (high.isMultiple(of: 2) ? low : 32_767 - low) : high + 1)
        guard bitDepth > 16 else { return value }
        let mark: Int32 = isLeft ? 0x5A : 0x25
        return ((value << 8) | mark) << Int32(bitDepth - 24)
    }
}
