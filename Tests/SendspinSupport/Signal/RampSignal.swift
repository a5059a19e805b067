/// A signal whose frames contain their own index, so that each lost, repeated or moved frame can be detected.
///
/// The upper 16 bits of the left sample are the low half of the index, and those of the right sample are the high half.
/// Samples of more than 16 bits contain a check value in the lower bits. A mono signal has only the low half.
package enum RampSignal {
    /// Sample of a channel, right-aligned in `bitDepth` bits and signed.
    package static func sample(_ index: Int64, channel: Int, bitDepth: Int) -> Int32 {
        let half = channel.isMultiple(of: 2) ? index : index >> 16
        let upper = Int32(Int16(truncatingIfNeeded: half))
        guard bitDepth > 16 else { return upper >> Int32(16 - bitDepth) }
        let rest = bitDepth - 16
        return (upper << Int32(rest)) | (check(half) & ((1 << Int32(rest)) - 1))
    }

    /// Index of a stereo frame, modulo 2^32; nil if the lower bits do not match the check value.
    package static func index(left: Int32, right: Int32, bitDepth: Int) -> Int64? {
        let rest = Int32(bitDepth - 16)
        let (low, high) = (left >> rest, right >> rest)
        let index = Int64(UInt16(truncatingIfNeeded: low)) | (Int64(UInt16(truncatingIfNeeded: high)) << 16)
        let isIntact =
            sample(index, channel: 0, bitDepth: bitDepth) == left
            && sample(index, channel: 1, bitDepth: bitDepth) == right
        return isIntact ? index : nil
    }

    /// Indices of stereo frames in little-endian PCM of 16, 24 or 32 bits; nil for a frame that is not intact.
    package static func indices(pcm: some Collection<UInt8>, bitDepth: Int) -> [Int64?] {
        let size = bitDepth / 8
        let bytes = Array(pcm)
        return stride(from: 0, through: bytes.count - 2 * size, by: 2 * size).map { start in
            let read = { (offset: Int) in
                var value: UInt32 = 0
                for byte in 0..<size { value |= UInt32(bytes[offset + byte]) << UInt32(32 - bitDepth + 8 * byte) }
                return Int32(bitPattern: value) >> Int32(32 - bitDepth)
            }
            return index(left: read(start), right: read(start + size), bitDepth: bitDepth)
        }
    }

    private static func check(_ half: Int64) -> Int32 { Int32(truncatingIfNeeded: (half & 0xFFFF) &* 40_503) }
}
