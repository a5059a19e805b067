/// The checksums of FLAC frames (RFC 9639, sections 9.1.8 and 9.3).
enum Checksum {
    /// CRC-8 with the polynomial x^8 + x^2 + x + 1.
    static func crc8(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(UInt8(0)) { sum, byte in
            (0..<8).reduce(sum ^ byte) { value, _ in (value & 0x80) != 0 ? (value << 1) ^ 0x07 : value << 1 }
        }
    }

    /// CRC-16 with the polynomial x^16 + x^15 + x^2 + 1.
    static func crc16(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(UInt16(0)) { ($0 << 8) ^ table[Int(UInt8($0 >> 8) ^ $1)] }
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { value, _ in
            (value & 0x8000) != 0 ? (value << 1) ^ 0x8005 : value << 1
        }
    }
}
