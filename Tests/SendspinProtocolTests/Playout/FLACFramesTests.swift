import Testing

@testable import SendspinProtocol

/// Tests the computed duration of FLAC frames, with headers that the test writes.
@Suite struct FLACFramesTests {
    /// A frame with the header of a stream of fixed block size, and one byte of data.
    private static func frame(_ number: Int, samples: Int) -> [UInt8] {
        // The block size has 16 bits, STREAMINFO has the sample rate and the bit depth, and there are two channels.
        var header: [UInt8] = [0xFF, 0xF8, 0x70, 0x10]
        let continuation = { (shift: Int) in 0x80 | UInt8((number >> shift) & 0x3F) }
        switch number {
        case ..<0x80: header.append(UInt8(number))
        case ..<0x800: header += [0xC0 | UInt8(number >> 6), continuation(0)]
        case ..<0x10000: header += [0xE0 | UInt8(number >> 12), continuation(6), continuation(0)]
        default: header += [0xF0 | UInt8(number >> 18), continuation(12), continuation(6), continuation(0)]
        }
        header += [UInt8((samples - 1) >> 8), UInt8((samples - 1) & 0xFF)]
        return header + [crc8(header), 0]
    }

    private static func crc8(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ byte) { crc, _ in (crc << 1) ^ (crc & 0x80 != 0 ? 0x07 : 0) }
        }
    }

    @Test func addsTheSamplesOfConsecutiveFrames() {
        let frames = Self.frame(126, samples: 4096) + Self.frame(127, samples: 4096) + Self.frame(128, samples: 1000)
        #expect(FLACFrames.samples(in: frames[...]) == 9192)
    }

    @Test func ignoresAFrameOutOfSequence() {
        let frames = Self.frame(5, samples: 4096) + Self.frame(9, samples: 4096)
        #expect(FLACFrames.samples(in: frames[...]) == 4096)
    }

    @Test func refusesAHeaderWithAWrongChecksum() {
        var frame = Self.frame(0, samples: 4096)
        frame[7] ^= 1
        #expect(FLACFrames.samples(in: frame[...]) == nil)
        #expect(FLACFrames.samples(in: frame[..<3]) == nil)
    }

    /// A message of 2 MB can have 190,000 headers of 65536 samples, whose time in ns exceeds `Int64` at 1 Hz.
    @Test func refusesMoreSamplesThanAnyChunkHas() throws {
        let frames = { (count: Int) in (0..<count).flatMap { Self.frame($0, samples: 65536) } }
        #expect(FLACFrames.samples(in: frames(256)[...]) == 1 << 24)
        #expect(FLACFrames.samples(in: frames(257)[...]) == nil)
        #expect(FLACFrames.samples(in: frames(170_000)[...]) == nil)
    }
}
