import CGStreamer
import Foundation
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import TestSupport
import Testing
import Threads

/// Captured audio on its way to a server.
@Suite(.serialized) struct SinkTests {
    /// Each frame of a file arrives once, at the time of its capture, also with a server whose clock drifts.
    @Test(arguments: [(16, 4_000), (24, 6_006), (32, 400_000), (16, 400)])
    func framesArriveOnceAndAtTheirTime(bitDepth: Int, blockSize: Int) throws {
        let server = try FakeServer(clock: SendspinSupport.ServerClock(offset: .seconds(1_000), partsPerMillion: 50))
        let file = try RampFile(bitDepth: bitDepth)
        let rig = try SinkRig(file.line(blockSize: blockSize), server: server)
        try #require(rig.start())
        var limit = rig.clockLimit
        try #require(rig.capture(100))
        limit = max(limit, rig.clockLimit)
        try #require(rig.release())
        let stream = try #require(rig.captures.first)
        #expect(stream.format == AudioFormat(codec: .pcm, channels: 2, sampleRate: 48_000, bitDepth: bitDepth))
        #expect(fault(of: stream.indices) == nil)
        let (first, last) = (try #require(stream.indices.first ?? nil), try #require(stream.indices.last ?? nil))
        #expect(Double(last + 1 - first) == (rig.statistic("sent-time") * 48e-6).rounded())
        var index = first
        for chunk in stream.chunks {
            let captured = rig.serverTime(of: .nanoseconds(index * 1_000_000_000 / 48_000))
            let error = chunk.timestamp - captured
            #expect(max(error, .zero - error) < limit, "frame \(index): \(error)")
            index += Int64(chunk.chunk.payload.count * 8 / bitDepth / 2)
        }
        #expect(rig.statistic("overflows") == 0 && rig.statistic("gaps") == 0 && rig.statistic("malformed") == 0)
        #expect(server.violations == [])
    }

    /// `flacenc` and `flacdec` keep each sample.
    @Test func framesArriveOnceAsFLAC() throws {
        let file = try RampFile()
        let rig = try SinkRig("\(file.line()) ! flacenc")
        try #require(rig.start())
        var limit = rig.clockLimit
        try #require(rig.capture(20))
        limit = max(limit, rig.clockLimit)
        try #require(rig.release())
        let stream = try #require(rig.captures.first)
        #expect(stream.format == AudioFormat(codec: .flac, channels: 2, sampleRate: 48_000, bitDepth: 16))
        let header = try #require(stream.formats[0].codecHeader)
        #expect(header.count == 42)
        let folder = file.url.deletingLastPathComponent()
        let (encoded, decoded) = (folder.appending(path: "flac"), folder.appending(path: "raw"))
        try Data(header + stream.bytes).write(to: encoded)
        let decoder = Pipeline(
            "filesrc location=\(encoded.path) ! flacparse ! flacdec ! audio/x-raw,format=S16LE ! filesink location=\(decoded.path)"
        )
        #expect(decoder.playToTheEnd() == GST_MESSAGE_EOS)
        let indices = RampSignal.indices(pcm: try Data(contentsOf: decoded), bitDepth: 16)
        #expect(fault(of: indices) == nil)
        #expect(Double(indices.count) == (rig.statistic("sent-time") * 48e-6).rounded())
        let first = try #require(indices.first ?? nil)
        let error =
            try #require(stream.chunks.first).timestamp
            - rig.serverTime(of: .nanoseconds(first * 1_000_000_000 / 48_000))
        #expect(max(error, .zero - error) < limit, "\(error)")
        #expect(rig.statistic("malformed") == 0 && rig.statistic("overflows") == 0)
        #expect(rig.server.violations == [])
    }

    @Test func packetsOfOpusArriveOneByOne() throws {
        var settings = PeerSettings()
        settings.sourceCodecs = [.flac, .pcm, .opus]
        let rig = try SinkRig("\(SinkRig.sine) ! opusenc frame-size=20", server: try FakeServer(settings))
        try #require(rig.start())
        try #require(rig.capture(50))
        let limit = rig.clockLimit
        let stream = try #require(rig.captures.first)
        #expect(stream.format.codec == .opus && stream.format.channels == 2)
        #expect(stream.formats[0].codecHeader == nil)
        for (one, next) in zip(stream.chunks, stream.chunks.dropFirst()) {
            let step = next.timestamp - one.timestamp - .milliseconds(20)
            #expect(max(step, .zero - step) < limit, "\(step)")
            #expect(!one.chunk.payload.starts(with: "Opus".utf8))
        }
        #expect(rig.server.violations == [])
    }

    @Test func codecThatTheServerDoesNotAcceptIsAWarning() throws {
        let rig = try SinkRig("\(SinkRig.sine) ! opusenc")
        try #require(rig.start())
        rig.server.command(.start)
        #expect(rig.bus.has("warning", "does not accept opus", "flacenc"))
        #expect(rig.captures.isEmpty)
        #expect(rig.server.violations == [])
    }

    @Test func audioIsDroppedUntilTheServerRequestsIt() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        let dropped = rig.statistic("dropped")
        #expect(eventually { rig.statistic("dropped") > dropped + 20 })
        #expect(rig.statistic("dropped-time") >= 200e6)
        #expect(rig.captures.isEmpty && rig.statistic("chunks") == 0)
        try #require(rig.capture())
        let whileStarted = rig.statistic("dropped")
        #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > 20 })
        #expect(rig.statistic("dropped") == whileStarted)
        try #require(rig.release())
        #expect(eventually { rig.statistic("dropped") > whileStarted + 20 })
        let count = rig.captures.last?.chunks.count
        #expect(remains(for: .milliseconds(100)) { rig.captures.last?.chunks.count == count })
        #expect(rig.server.violations == [])
    }

    @Test func startsAndStopsAsOftenAsTheServerRequests() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        for _ in 0..<25 {
            try #require(rig.capture(2))
            // A second start has no effect.
            rig.server.command(.start)
            try #require(rig.release())
        }
        #expect(rig.captures.count == 25)
        #expect(rig.captures.allSatisfy { $0.isEnded && $0.formats.count == 1 })
        #expect(
            rig.bus.texts(#"element: sendspin-source, event=(string)start, codec=(string)pcm, rate=(uint)48000"#).count
                == 25)
        #expect(eventually { rig.bus.texts("element: sendspin-source, event=(string)stop").count == 25 })
        #expect(rig.statistic("starts") == 25 && rig.statistic("stops") == 25)
        #expect(rig.server.violations == [])
    }

    /// The audio of a stream that has ended must not arrive in the next one.
    @Test func nextStreamBeginsWithNewAudio() throws {
        let rig = try SinkRig(RampFile().line())
        try #require(rig.start())
        try #require(rig.capture())
        try #require(rig.release())
        let dropped = rig.statistic("dropped")
        #expect(eventually { rig.statistic("dropped") >= dropped + 10 })
        try #require(rig.capture())
        let (last, first) = (rig.captures[0].indices.last ?? nil, rig.captures[1].indices.first ?? nil)
        let missing = try #require(first) - #require(last)
        // A buffer has 1000 frames.
        #expect(missing >= 10_000, "\(missing) frames")
        #expect(fault(of: rig.captures[1].indices) == nil)
        #expect(rig.server.violations == [])
    }

    @Test func endOfTheInputEndsTheStream() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        try #require(rig.capture())
        rig.sendEOS()
        #expect(rig.server.wait { $0.last?.captures.last?.isEnded == true && $0.last?.state?.isAvailable == false })
        #expect(rig.bus.has("eos"))
        // A buffer has 10 ms and a chunk 20 ms; the rest is a chunk, too.
        #expect(
            rig.statistic("sent-time") + rig.statistic("dropped-time") == rig.statistic("buffers") * 10_000_000)
        #expect(rig.captures.last?.bytes.count == Int(rig.statistic("bytes")))
        #expect(rig.server.violations == [])
    }

    @Test func pauseEndsTheStream() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        try #require(rig.capture())
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PAUSED)
        #expect(rig.server.wait { $0.last?.captures.last?.isEnded == true && $0.last?.state?.isAvailable == false })
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.server.wait { $0.last?.state?.isAvailable == true })
        try #require(rig.capture())
        #expect(rig.statistic("connections") == 1)
        #expect(rig.server.violations == [])
    }

    @Test func formatChangesInTheStream() throws {
        let rig = try SinkRig(
            "audiotestsrc is-live=true samplesperbuffer=480 ! capsfilter name=c caps=audio/x-raw,format=S16LE,rate=48000,channels=2"
        )
        try #require(rig.start())
        try #require(rig.capture())
        rig.pipeline.set("caps", to: "audio/x-raw,format=S24LE,rate=44100,channels=1", of: "c")
        #expect(rig.server.wait { $0.last?.captures.last?.formats.count == 2 })
        let stream = try #require(rig.captures.first)
        #expect(stream.formats[1].format == AudioFormat(codec: .pcm, channels: 1, sampleRate: 44_100, bitDepth: 24))
        let count = stream.chunks.count
        #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > count + 10 })
        #expect(rig.captures.count == 1)
        #expect(rig.statistic("starts") == 1)
        #expect(rig.server.violations == [])
    }

    @Test(arguments: Untimed.Kind.allCases) func buffersWithoutARunningTimeAreCounted(kind: Untimed.Kind) throws {
        let rig = try SinkRig()
        // A sink that has received no buffer in its segment does not preroll.
        try #require(rig.start())
        let untimed = Untimed(kind, rig.pipeline.element())
        #expect(rig.bus.has("warning", "without a timestamp", "do-timestamp=true"))
        let (count, dropped) = (rig.statistic("untimed"), rig.statistic("dropped"))
        rig.server.command(.start)
        #expect(eventually { rig.statistic("untimed") > count + 20 && rig.statistic("starts") == 1 })
        #expect(rig.statistic("chunks") == 0 && rig.statistic("dropped") == dropped)
        #expect(rig.captures.last?.chunks.count == 0)
        #expect(rig.bus.texts("warning").count == 1)
        untimed.end()
        if kind == .withoutTimestamp { #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > 5 }) }
        #expect(rig.server.violations == [])
    }

    @Test func lineSenseReportsASignalAndItsEnd() throws {
        let rig = try SinkRig(
            SinkRig.sine, "line-sense=true line-sense-level=-40 line-sense-hold=300000000")
        rig.pipeline.set("volume", to: "0", of: "t")
        try #require(rig.start())
        #expect(rig.server.wait { $0.last?.signals == [.absent] })
        rig.pipeline.set("volume", to: "0.5", of: "t")
        #expect(rig.server.wait { $0.last?.signals == [.absent, .present] })
        try #require(rig.capture())
        rig.pipeline.set("volume", to: "0.001", of: "t")
        #expect(rig.server.wait { $0.last?.signals == [.absent, .present, .absent] })
        let name = "element: sendspin-source, event=(string)signal, signal=(string)"
        #expect(eventually { rig.bus.texts(name).count == 3 })
        #expect(rig.bus.texts(name) == ["absent", "present", "absent"].map { "\(name)\($0);" })
        // A sine with an amplitude of 0.0005.
        #expect(eventually { abs(rig.statistic("level") - -63) < 1 })
        #expect(rig.server.report.hello?.sensesLine == true)
        #expect(rig.server.violations == [])
    }

    @Test func lineSenseWithAnEncoderIsAWarning() throws {
        let rig = try SinkRig("\(SinkRig.sine) ! flacenc", "line-sense=true")
        try #require(rig.start())
        #expect(rig.bus.has("warning", "only raw audio has a level"))
        try #require(rig.capture())
        #expect(rig.server.report.signals == [])
        #expect(rig.server.violations == [])
    }

    /// 16384 samples at 44.1 kHz are 372 ms.
    @Test func blocksLongerThanTheProtocolPermitsAreAWarning() throws {
        let rig = try SinkRig(
            "audiotestsrc is-live=true ! audio/x-raw,format=S16LE,rate=44100,channels=2 ! flacenc streamable-subset=false blocksize=16384"
        )
        try #require(rig.start())
        rig.server.command(.start)
        #expect(rig.bus.has("warning", "150 ms", "blocksize"))
        #expect(rig.statistic("too-long") > 0 && rig.statistic("chunks") == 0)
        #expect(rig.server.violations == [])
    }

    @Test func missingHeaderOfFLACIsAnErrorThatStatesWhatToDo() throws {
        _ = SendspinSetup.once
        let pipeline = Pipeline(
            "\(SinkRig.sine) ! flacenc ! capssetter replace=true caps=audio/x-flac,rate=48000,channels=2 ! "
                + "sendspinsink name=p uri=sendspin://127.0.0.1:9")
        pipeline.element().set(string: "storage-folder", to: Setup.newFolder().path)
        #expect(
            pipeline.play().contains {
                $0.hasPrefix("error: The header of FLAC is missing") && $0.contains("flacparse")
            })
    }
}
