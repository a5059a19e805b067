import Foundation
import SendspinSupport
import Testing

@Suite struct SignalTests {
    @Test(arguments: [16, 24, 32])
    func rampContainsItsIndex(_ bitDepth: Int) {
        for start: Int64 in [0, 65_530, (1 << 32) - 20, 1 << 40] {
            let pcm = TestSignal.ramp.pcm(start..<start + 100, channels: 2, bitDepth: bitDepth)
            #expect(pcm.count == 100 * 2 * bitDepth / 8)
            let expected = (start..<start + 100).map { Optional($0 & 0xFFFF_FFFF) }
            #expect(RampSignal.indices(pcm: pcm, bitDepth: bitDepth) == expected)
        }
    }

    @Test func changedSampleOfADeepRampIsSeen() {
        var pcm = TestSignal.ramp.pcm(1_000..<1_001, channels: 2, bitDepth: 24)
        pcm[0] ^= 1
        #expect(RampSignal.indices(pcm: pcm, bitDepth: 24) == [nil])
    }

    @Test(arguments: [
        FLACWriter(), FLACWriter(blockSize: 16, bitDepth: 24),
        FLACWriter(blockSize: 1_000, sampleRate: 44_100, channels: 1),
        FLACWriter(blockSize: 4_096, sampleRate: 96_000, bitDepth: 24),
        FLACWriter(blockSize: 9_000, sampleRate: 12_345),
    ])
    func decoderReadsWrittenFLAC(_ writer: FLACWriter) throws {
        // With more than 2048 small blocks, their numbers have up to three bytes. The last block is partial.
        let count = Int64(writer.blockSize * (writer.blockSize == 16 ? 2_100 : 3)) + 7
        var file = writer.header
        for (number, start) in stride(from: 0, to: count, by: Int64.Stride(writer.blockSize)).enumerated() {
            file += writer.block(number, start..<min(start + Int64(writer.blockSize), count), of: .ramp)
        }
        let decoded = try Decoder.pcm(file, depth: writer.bitDepth)
        let expected = TestSignal.ramp.pcm(0..<count, channels: writer.channels, bitDepth: writer.bitDepth)
        #expect(decoded.count == expected.count)
        // Compare outside of `#expect`, so that a failure does not print the arrays.
        let isEqual = decoded == expected
        #expect(isEqual)
    }

    @Test func decoderReadsConstantSubframes() throws {
        let writer = FLACWriter(blockSize: 256)
        let file = writer.header + (0..<40).flatMap { writer.block($0, 0..<256, of: .silence) }
        #expect(file.count < 40 * 32)
        #expect(try Decoder.pcm(file, depth: 16) == [UInt8](repeating: 0, count: 40 * 1_024))
    }

    @Test func decoderDropsABlockWithAWrongChecksum() throws {
        let writer = FLACWriter(blockSize: 576)
        var blocks = (0..<8).map { writer.block($0, Int64($0 * 576)..<Int64(($0 + 1) * 576), of: .ramp) }
        blocks[4][300] ^= 1
        let decoded = try Decoder.pcm(writer.header + blocks.flatMap { $0 }, depth: 16)
        #expect(decoded != TestSignal.ramp.pcm(0..<8 * 576, channels: 2, bitDepth: 16))
    }

    @Test func opusPacketsLastTwentyMilliseconds() throws {
        let opus = try #require(OpusPackets.sine(seconds: 1))
        #expect((50...52).contains(opus.packets.count))
        for packet in opus.packets {
            let first = try #require(packet.first)
            // Packets must have a configuration of 20 ms and one frame (RFC 6716, section 3.1).
            #expect([1, 5, 9, 13, 15, 19, 23, 27, 31].contains(first >> 3))
            #expect((first & 3) == 0)
        }
    }

    @Test func malformedOggIsRefused() {
        #expect(OggPackets.read(Array("OggX".utf8)) == nil)
        #expect(OggPackets.read(Array("OggS".utf8) + [UInt8](repeating: 255, count: 40)) == nil)
        #expect(OggPackets.read([]) == [])
        let page = Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [3, 255, 0, 2]
        let body = [UInt8](repeating: 7, count: 255) + [8, 9]
        #expect(OggPackets.read(page + body) == [[UInt8](repeating: 7, count: 255), [8, 9]])
    }
}

/// Decodes with the FLAC decoder of GStreamer.
private enum Decoder {
    static func pcm(_ file: [UInt8], depth: Int) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appendingPathComponent("in.flac"), folder.appendingPathComponent("out.raw"))
        try Data(file).write(to: input)
        let launch = Process()
        launch.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The decoder outputs 24 bits in 32 bits, which `audioconvert` converts to packed 24 bits.
        let format = depth == 24 ? "S24LE" : "S16LE"
        launch.arguments =
            """
            gst-launch-1.0 -q filesrc location=\(input.path) ! flacparse ! flacdec ! audioconvert dithering=0 ! \
            audio/x-raw,format=\(format) ! filesink location=\(output.path)
            """
            .split(separator: " ").map(String.init)
        launch.standardError = FileHandle.nullDevice
        try launch.run()
        launch.waitUntilExit()
        return Array(try Data(contentsOf: output))
    }
}
