@testable import SendspinProtocol
import SendspinSupport
import Testing

/// Formats of captured audio.
@Suite struct CaptureFormatTests {
    /// `flacenc` and `flacparse` put the packet of FLAC in Ogg into the caps.
    @Test func formatOfFLACIsThatOfItsHeader() throws {
        for (rate, channels, bits) in [
            (48_000, 2, 16), (96_000, 1, 24), (44_100, 8, 24), (8_000, 2, 8), (192_000, 2, 32),
        ] {
            let header = FLACWriter(blockSize: 1_024, sampleRate: rate, channels: channels, bitDepth: bits).header
            let packet = [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 2] + header
            for bytes in [header, packet, header + [0x84, 0, 0, 0]] {
                let format = try #require(CaptureFormat(.flac, channels: 3, sampleRate: 1, codecHeader: bytes))
                #expect(
                    format.stream.format
                        == AudioFormat(codec: .flac, channels: channels, sampleRate: rate, bitDepth: bits))
                #expect(format.stream.codecHeader == header)
            }
        }
    }

    @Test func malformedHeaderIsNoFormat() {
        let header = FLACWriter().header
        var (vorbis, short) = (header, header)
        vorbis[4] = 4
        short[7] = 33
        // A sample rate of 0.
        var silent = header
        (silent[18], silent[19], silent[20]) = (0, 0, silent[20] & 0x0F)
        for bytes: [UInt8]? in [nil, [], Array(header.prefix(41)), vorbis, short, silent, [0x7F] + Array("FLAC".utf8)] {
            #expect(CaptureFormat(.flac, channels: 2, sampleRate: 48_000, codecHeader: bytes) == nil)
        }
    }

    @Test func formatIsInTheRangeOfTheProtocol() {
        for (channels, rate, bits, isValid) in [
            (1, 8_000, 8, true), (64, 1_536_000, 32, true), (2, 48_000, 20, false), (2, 48_000, 40, false),
            (0, 48_000, 16, false), (65, 48_000, 16, false), (2, 0, 16, false), (2, -1, 16, false),
            (2, 1_536_001, 16, false), (2, 48_000, 0, false), (2, 48_000, .min, false), (.max, .max, .max, false),
        ] {
            let format = CaptureFormat(.pcm, channels: channels, sampleRate: rate, bitDepth: bits)
            #expect((format != nil) == isValid, "\(channels) channels, \(rate) Hz, \(bits) bits")
        }
    }

    @Test func chunksOfAnyRateHaveAtLeastOneFrame() throws {
        for rate in [1, 49, 50, 11_025, 44_100, 1_536_000] {
            let format = try #require(CaptureFormat(.pcm, channels: 1, sampleRate: rate))
            #expect(format.chunkFrames == max(rate / 50, 1))
        }
    }
}
