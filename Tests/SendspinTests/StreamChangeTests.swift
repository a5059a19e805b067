import CGStreamer
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import Testing
import Threads

/// Tests seeks, ends of streams and changes of the format on the server.
@Suite(.serialized) struct StreamChangeTests {
    private func playing(
        _ stream: FakeStream = .pcm(), _ line: String = SendspinRig.decoding, _ properties: String = ""
    ) throws -> SendspinRig {
        let rig = try SendspinRig(line, properties)
        try #require(rig.start())
        rig.server.setSendAhead(.milliseconds(800))
        rig.server.play(stream, lead: .milliseconds(600))
        try #require(rig.hasBytes(1))
        return rig
    }

    @Test(arguments: [FakeStream.pcm(), .flac()])
    func clearFlushesAndTheStreamResumesAtTheNewPosition(stream: FakeStream) throws {
        let rig = try playing(stream)
        let end = rig.recorder.items.count
        rig.server.play(stream, lead: .seconds(1), firstIndex: 1_000_000)
        #expect(eventually { rig.recorder.outline.contains("flush-stop") && rig.indices.contains(1_000_000) })
        let outline = rig.recorder.outline
        let flush = try #require(outline.firstIndex(of: "flush-start"))
        #expect(Array(outline[flush...].prefix(2)) == ["flush-start", "flush-stop"])
        #expect(outline[flush...].contains("segment"))
        #expect(rig.recorder.items.count > end)
        let indices = rig.indices
        let place = try #require(indices.firstIndex(of: 1_000_000))
        let faults = [fault(of: indices[..<place]), fault(of: indices[place...])]
        #expect(faults == [nil, nil])
        #expect(rig.statistic("clears") == 1)
        #expect(rig.server.violations == [])
    }

    /// Fewer buffers wake the streaming thread less often.
    @Test func chunksOfPCMThatFollowEachOtherShareABuffer() throws {
        let rig = try playing(.pcm())
        #expect(eventually { rig.recorder.chunks.contains { $0.duration == .milliseconds(75) } })
        #expect(fault(of: rig.indices) == nil)
        #expect(eventually { rig.statistic("played") > Double(rig.recorder.chunks.count) })
    }

    @Test func endOfTheStreamIsEOSOnlyWithTheProperty() throws {
        for isEnd in [false, true] {
            let rig = try playing(.pcm(), SendspinRig.decoding, "eos-on-stream-end=\(isEnd)")
            rig.server.end()
            #expect(rig.bus.has("element: sendspin-stream-end"))
            if isEnd {
                #expect(rig.bus.has("eos"))
            } else {
                rig.recorder.clear()
                rig.server.play(.pcm(), lead: .milliseconds(600), firstIndex: 5_000)
                #expect(eventually { rig.indices.contains(5_000) })
                #expect(rig.bus.texts("eos") == [])
            }
            #expect(rig.server.violations == [])
        }
    }

    @Test(arguments: [
        (FakeStream.pcm(), FakeStream.pcm(bitDepth: 24)), (.pcm(), .pcm(sampleRate: 44_100)),
        (.flac(), .flac(bitDepth: 24)),
    ])
    func formatChangesInPlaceWithoutALoss(old: FakeStream, new: FakeStream) throws {
        let rig = try playing(old, "decodebin ! audioconvert ! audio/x-raw,format=S32LE ! fakesink name=s sync=false")
        let change = try #require(rig.server.change(to: new))
        #expect(rig.hasBytes(Int(change.firstIndex + 20_000) * 8))
        // The upper 16 bits of samples with 16 and 24 bits contain the index.
        let bytes = rig.recorder.bytes
        let upper = stride(from: 0, to: bytes.count, by: 4).flatMap { bytes[$0 + 2...$0 + 3] }
        let fault = fault(of: RampSignal.indices(pcm: upper, bitDepth: 16))
        #expect(fault == nil)
        #expect(!rig.recorder.outline.contains("flush-start"))
        #expect(rig.statistic("formats") == 2)
        #expect(rig.server.violations == [])
        #expect(rig.bus.problems == [])
    }

    /// `decodebin` decodes only the codec of its first caps, so `sendspinplay` replaces its decoder.
    @Test func codecChangeIsAnnounced() throws {
        let rig = try playing(.flac(), "fakesink name=s sync=false")
        try #require(rig.server.change(to: .pcm()) != nil)
        #expect(rig.bus.has("element: sendspin-format", "codec=(string)pcm"))
        #expect(eventually { rig.recorder.caps.count == 2 })
        #expect(rig.recorder.caps.last?.hasPrefix("audio/x-raw") == true)
        #expect(rig.bus.problems == [])
    }

    @Test func chunksThatAreLateAreDroppedAndCounted() throws {
        let rig = try playing()
        let late = rig.statistic("late")
        let past = rig.server.clock.time(at: MonotonicClock.now) - .seconds(1)
        for number in 0..<10 {
            let samples = TestSignal.ramp.pcm(9_000_000..<9_001_200, channels: 2, bitDepth: 16)
            let chunk = AudioChunk(
                timestamp: past + .milliseconds(25 * number), sendAhead: .zero, payload: samples[...])
            rig.server.send(binary: chunk.bytes(.encrypted))
        }
        #expect(eventually { rig.statistic("late") == late + 10 })
        #expect(rig.hasBytes(100_000))
        #expect(rig.rampFault == nil)
    }
}
