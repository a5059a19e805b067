/// Writes FLAC (RFC 9639) with constant and verbatim subframes only, in blocks of the same size.
package struct FLACWriter: Sendable {
    /// Frames in each block except the last one, at least 16.
    package let blockSize: Int
    /// Sample rate: one of the usual rates up to 192000 Hz, or any other rate up to 65535 Hz.
    package let sampleRate: Int
    /// Number of channels, 1 to 8.
    package let channels: Int
    /// Bits of a sample: 8, 12, 16, 20, 24 or 32.
    package let bitDepth: Int
    /// Whether the subframes have a reserved type, with valid checksums.
    package var isDamaged = false

    package init(blockSize: Int = 4_608, sampleRate: Int = 48_000, channels: Int = 2, bitDepth: Int = 16) {
        self.blockSize = blockSize
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitDepth = bitDepth
    }

    /// Header of a file, 42 bytes: `fLaC` and the STREAMINFO block, which states no number of samples.
    package var header: [UInt8] {
        var bits = BitWriter()
        for byte in "fLaC".utf8 { bits.append(byte, 8) }
        // STREAMINFO is the last metadata block, and has 34 bytes.
        bits.append(0x80, 8)
        bits.append(34, 24)
        for _ in 0..<2 { bits.append(blockSize, 16) }
        // The sizes of the frames are unknown.
        for _ in 0..<2 { bits.append(0, 24) }
        bits.append(sampleRate, 20)
        bits.append(channels - 1, 3)
        bits.append(bitDepth - 1, 5)
        // The number of samples (36 bits) and the MD5 sum are unknown.
        bits.append(0, 4)
        for _ in 0..<5 { bits.append(0, 32) }
        return bits.bytes
    }

    /// Writes block `number` with the frames of `range`, which are fewer than `blockSize` only in the last block.
    package func block(_ number: Int, _ range: Range<Int64>, of signal: TestSignal) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b1111_1111_1111_1000, 16)
        // This code means that the end of the header has the size of the block in 16 bits.
        bits.append(0b0111, 4)
        let rateCode = Self.rateCodes[sampleRate]
        // The code 1101 means that 16 bits after the size have the rate in hertz.
        bits.append(rateCode ?? 0b1101, 4)
        bits.append(channels - 1, 4)
        bits.append(Self.depthCodes[bitDepth] ?? 0, 3)
        bits.append(0, 1)
        for byte in Self.coded(number) { bits.append(byte, 8) }
        bits.append(range.count - 1, 16)
        if rateCode == nil { bits.append(sampleRate, 16) }
        bits.append(Checksum.crc8(bits.bytes), 8)
        for channel in 0..<channels {
            let samples = range.map { signal.sample($0, channel: channel, bitDepth: bitDepth) }
            appendSubframe(samples, to: &bits)
        }
        bits.align()
        bits.append(Checksum.crc16(bits.bytes), 16)
        return bits.bytes
    }

    private func appendSubframe(_ samples: [Int32], to bits: inout BitWriter) {
        let isConstant = samples.allSatisfy { $0 == samples.first }
        bits.append(isDamaged ? 0b0111_1110 : isConstant ? 0b0000_0000 : 0b0000_0010, 8)
        for sample in isConstant ? samples.prefix(1) : samples[...] { bits.append(sample, bitDepth) }
    }

    /// A block number of up to 36 bits, encoded like a character in UTF-8.
    private static func coded(_ number: Int) -> [UInt8] {
        guard number >= 0x80 else { return [UInt8(number)] }
        var tail: [UInt8] = []
        var rest = number
        var room = 6
        while rest >= 1 << room {
            tail.insert(UInt8(0x80 | (rest & 0x3F)), at: 0)
            rest >>= 6
            room -= 1
        }
        let mark = UInt8(truncatingIfNeeded: 0xFF << (room + 1))
        return [mark | UInt8(rest)] + tail
    }

    private static let rateCodes = [
        88_200: 1, 176_400: 2, 192_000: 3, 8_000: 4, 16_000: 5, 22_050: 6, 24_000: 7, 32_000: 8, 44_100: 9, 48_000: 10,
        96_000: 11,
    ]
    private static let depthCodes = [8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7]
}
