/// Reads the duration of FLAC frames from their headers.
///
/// Source: RFC 9639, section 9.1.
public enum FLACFrames {
    /// Maximum number of samples per channel in a chunk: more than 10 s at every sample rate.
    ///
    /// A hostile server may claim 10^10 samples in 2 MB. At 1 Hz, their duration in nanoseconds exceeds `Int64`.
    static let limit = 1 << 24

    /// Number of samples per channel in `frames`; nil if the first frame is malformed or the number exceeds `limit`.
    ///
    /// A later frame has the same sync code, a header with a valid CRC, and the number that follows the previous one.
    public static func samples(in frames: ArraySlice<UInt8>) -> Int? {
        guard let first = Header(frames) else { return nil }
        var total = first.samples
        var last = first
        var rest = frames.dropFirst()
        while let index = rest.firstIndex(of: 0xFF) {
            rest = rest[(index + 1)...]
            if rest.first == first.sync, let next = Header(frames[index...]), next.number == last.nextNumber {
                total += next.samples
                last = next
            }
        }
        return total <= limit ? total : nil
    }

    private struct Header {
        let sync: UInt8
        let samples: Int
        /// Frame number, or number of the first sample if the block size varies.
        let number: UInt64

        var nextNumber: UInt64 { sync & 1 == 0 ? number + 1 : number + UInt64(samples) }

        init?(_ bytes: ArraySlice<UInt8>) {
            let bytes = ArraySlice(bytes.prefix(16))
            let start = bytes.startIndex
            guard bytes.count >= 6, bytes[start] == 0xFF, bytes[start + 1] & 0xFE == 0xF8 else { return nil }
            var index = start + 4
            guard let number = Self.codedNumber(bytes, &index) else { return nil }
            let sizeCode = bytes[start + 2] >> 4
            guard let samples = Self.blockSize(sizeCode, bytes, &index) else { return nil }
            switch bytes[start + 2] & 15 {
            case 12: index += 1
            case 13, 14: index += 2
            case 15: return nil
            default: break
            }
            guard index < bytes.endIndex, Self.crc8(bytes[start..<index]) == bytes[index] else { return nil }
            sync = bytes[start + 1]
            self.samples = samples
            self.number = number
        }

        /// Decodes a number of up to 7 bytes that is coded like a character in UTF-8.
        private static func codedNumber(_ bytes: ArraySlice<UInt8>, _ index: inout Int) -> UInt64? {
            guard index < bytes.endIndex else { return nil }
            let first = bytes[index]
            index += 1
            let ones = (~first).leadingZeroBitCount
            guard ones != 1, ones < 8 else { return nil }
            if ones == 0 { return UInt64(first) }
            var number = UInt64(first & (0x7F >> UInt8(ones)))
            for _ in 1..<ones {
                guard index < bytes.endIndex, bytes[index] & 0xC0 == 0x80 else { return nil }
                number = (number << 6) | UInt64(bytes[index] & 0x3F)
                index += 1
            }
            return number
        }

        private static func blockSize(_ code: UInt8, _ bytes: ArraySlice<UInt8>, _ index: inout Int) -> Int? {
            switch code {
            case 0: return nil
            case 1: return 192
            case 2...5: return 576 << Int(code - 2)
            case 6, 7:
                var size = 0
                for _ in 0..<(code - 5) {
                    guard index < bytes.endIndex else { return nil }
                    size = (size << 8) | Int(bytes[index])
                    index += 1
                }
                return size + 1
            default: return 256 << Int(code - 8)
            }
        }

        /// CRC with the polynomial x^8 + x^2 + x + 1.
        private static func crc8(_ bytes: ArraySlice<UInt8>) -> UInt8 {
            var crc: UInt8 = 0
            for byte in bytes {
                crc ^= byte
                for _ in 0..<8 { crc = (crc << 1) ^ (crc & 0x80 != 0 ? 0x07 : 0) }
            }
            return crc
        }
    }
}
