import CGStreamer
import GstTestSupport
import SendspinSupport
import Testing

/// Tests streams of each format, from the server to a sink after `decodebin`.
@Suite(.serialized) struct FormatTests {
    @Test(arguments: [FakeStream.pcm(), .pcm(bitDepth: 24), .flac(), .flac(bitDepth: 24), .pcm(sampleRate: 44_100)])
    func everySampleArrivesUnchanged(stream: FakeStream) throws {
        let depth = stream.format.bitDepth
        let rig = try SendspinRig(
            "decodebin ! audioconvert dithering=none ! audio/x-raw,format=S\(depth)LE ! fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(stream, lead: .milliseconds(600))
        #expect(rig.hasBytes(40_000 * 2 * depth / 8))
        let indices = RampSignal.indices(pcm: rig.recorder.bytes, bitDepth: depth)
        #expect(indices.first == 0)
        let fault = fault(of: indices)
        #expect(fault == nil)
        #expect(rig.recorder.caps.last?.contains("rate=(int)\(stream.format.sampleRate)") == true)
        #expect(rig.server.violations == [])
        #expect(rig.bus.problems == [])
    }

    @Test func opusIsDecoded() throws {
        let packets = try #require(OpusPackets.sine(seconds: 2))
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.play(.opus(packets), lead: .milliseconds(600))
        #expect(rig.hasBytes(48_000 * 4))
        // A sine of 440 Hz rises through zero 440 times in a second.
        let left = stride(from: 0, to: 48_000 * 4, by: 4).map { [bytes = rig.recorder.bytes] index in
            Int16(bitPattern: UInt16(bytes[index]) | (UInt16(bytes[index + 1]) << 8))
        }
        let rises = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect((430...450).contains(rises))
        #expect(rig.server.violations == [])
    }

    @Test func codecHeaderIsInTheCapsBeforeTheData() throws {
        let rig = try SendspinRig("fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(.flac(), lead: .milliseconds(600))
        #expect(rig.hasBytes(1))
        let header = FLACWriter().header.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
        #expect(rig.recorder.caps.count == 1)
        #expect(rig.recorder.caps.first?.contains("streamheader=(buffer)< \(header) >") == true)
        let outline = rig.recorder.outline
        #expect(try #require(outline.firstIndex(of: "caps")) < (try #require(outline.firstIndex(of: "buffer"))))
        #expect(outline.count { $0 == "caps" || $0 == "gap" } == 2)
        // The stream does not repeat the header of the caps, so the first data is a FLAC frame.
        #expect(rig.recorder.chunks.first?.bytes.starts(with: [0xFF, 0xF8]) == true)
    }

    @Test func nothingIsPushedBeforeTheFirstData() throws {
        let rig = try SendspinRig("fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.setSendAhead(.milliseconds(500))
        rig.server.play(.flac(), lead: .milliseconds(1_500))
        #expect(rig.bus.has("element: sendspin-stream-start"))
        #expect(
            remains(for: .milliseconds(200)) {
                Set(rig.recorder.outline).isSubset(of: ["stream-start"]) || rig.server.report.chunkCount > 0
            })
        #expect(rig.hasBytes(1))
    }

    @Test func buffersHaveTheDurationOfTheirSamples() throws {
        let rig = try SendspinRig("fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(60 * 4_800))
        let times = rig.recorder.chunks.compactMap(\.pts)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        // A buffer has up to three chunks of 25 ms.
        let durations = rig.recorder.chunks.compactMap(\.duration)
        #expect(zip(steps, durations).allSatisfy { abs($0 / $1 - 1) < 0.01 })
        #expect(durations == rig.recorder.chunks.map { .nanoseconds($0.bytes.count * 1_000_000_000 / (4 * 48_000)) })
        #expect(rig.recorder.chunks.map(\.isDiscontinuity) == [true] + Array(repeating: false, count: times.count - 1))
    }
}
