import CGStreamer
import GStreamer
import GstTestSupport
@testable import SendspinProtocol
import SendspinSupport
import Testing

@testable import Sendspin

/// Tests audio that `sendspinsync` does not correct.
@Suite(.serialized) struct PassThroughTests {
    /// Plays a line to its end, and returns the data that arrive at the sink `s`.
    private func record(_ line: String) throws -> StreamRecorder {
        _ = SendspinSetup.once
        let pipeline = Pipeline(line)
        let recorder = StreamRecorder(pipeline.element("s"))
        try #require(pipeline.play().last == "eos")
        return recorder
    }

    /// If such a buffer were corrected, the result would contain uninitialised memory.
    @Test func bufferThatIsNoWholeNumberOfFramesIsNotCorrected() throws {
        _ = SendspinSetup.once
        let caps = try #require(Caps("audio/x-raw, format=S16LE, rate=48000, channels=2, layout=interleaved"))
        let splice = try #require(BufferSplice(caps))
        let bytes = (0..<4_002).map { UInt8(truncatingIfNeeded: $0) }
        let plan = CorrectionPlan(kind: .single, frames: 1_000, change: 1, spacing: 1_000)
        guard let input = Buffer(copying: bytes.span), let output = splice.apply(plan, input, .zero) else {
            Issue.record("There is no memory.")
            return
        }
        let passed = output.withBytes { span in span.withUnsafeBytes { Array($0) } }
        #expect(passed == bytes)
    }

    @Test(arguments: [
        "format=S8", "format=U8", "format=U16LE", "format=S16BE", "format=S20LE", "format=S24BE", "format=S32BE",
        "format=F64BE", "format=F32LE,layout=non-interleaved", "format=S16LE,channels=100,channel-mask=(bitmask)0",
        "format=S16LE,rate=2000000",
    ])
    func everyFormatPassesUnchanged(format: String) throws {
        let source = "audiotestsrc num-buffers=10 wave=ticks ! audio/x-raw,\(format)"
        let plain = try record("\(source) ! fakesink name=s")
        let passed = try record("\(source) ! sendspinsync ! fakesink name=s")
        #expect(passed.caps == plain.caps)
        #expect(passed.bytes == plain.bytes)
        #expect(passed.chunks.map(\.pts) == plain.chunks.map(\.pts))
        #expect(plain.byteCount > 0)
    }

    /// Devices also play these formats, so `sendspinsync` must correct them.
    @Test(arguments: ["S24BE", "F32BE", "S32BE"])
    func bigEndianAudioIsCorrected(format: String) throws {
        let line = DevicePipeline(
            "rampsrc ! audio/x-raw,format=S24LE,rate=48000,channels=2 ! audioconvert dithering=none "
                + "! audio/x-raw,format=\(format) ! sendspinsync name=y ! audioconvert dithering=none "
                + "! audio/x-raw,format=S24LE ! virtualdac name=s ppm=700")
        line.start()
        #expect(line.plays(96_000))
        let corrections =
            line.pipeline.statistic("inserted", of: "y") + line.pipeline.statistic("dropped", of: "y")
        #expect(corrections > 10)
        #expect(abs(line.pipeline.statistic("last-error", of: "s")) < 1_000_000)
    }

    /// If the stream changes to a format that `sendspinsync` does not correct, the sink must correct it itself.
    @Test func sinkIsReleasedForAFormatThatIsNotCorrected() throws {
        let line = DevicePipeline(
            "rampsrc ! audioconvert ! capsfilter name=c caps=audio/x-raw,format=S16LE ! sendspinsync ! audioconvert "
                + "! virtualdac name=s")
        line.start()
        #expect(eventually { line.slaveMethod() == "none" })
        line.pipeline.set("caps", to: "audio/x-raw,format=U24LE", of: "c")
        #expect(eventually { line.slaveMethod() == "skew" })
        line.pipeline.set("caps", to: "audio/x-raw,format=S16LE", of: "c")
        #expect(eventually { line.slaveMethod() == "none" })
    }

    /// At a speed other than 1, a sink plays as it does without `sendspinsync`.
    @Test(arguments: [-1.0, 2, 0.5])
    func anotherSpeedPassesUnchanged(rate: Double) throws {
        func play(_ element: String) throws -> (StreamRecorder, slaveMethod: String) {
            _ = SendspinSetup.once
            let pipeline = Pipeline(
                "audiotestsrc num-buffers=100 ! audio/x-raw,format=S16LE,rate=48000,channels=2 ! \(element) "
                    + "virtualdac name=s provide-clock=false")
            let recorder = StreamRecorder(pipeline.element("s"))
            try #require(pipeline.go(GST_STATE_PAUSED))
            let isDone = gst_element_seek(
                pipeline.raw, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
                600_000_000)
            try #require(isDone != 0)
            gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
            #expect(eventually { recorder.chunks.count > 15 })
            let slaveMethod = pipeline.get("slave-method", of: "s")
            #expect(pipeline.listen().last == "eos")
            return (recorder, slaveMethod)
        }
        let (plain, _) = try play("")
        let (passed, slaveMethod) = try play("sendspinsync !")
        #expect(slaveMethod == "skew")
        let outlines = [passed, plain].map { recorder in
            recorder.chunks.map { "\($0.pts as Any) \($0.isDiscontinuity)" }
        }
        // The number of buffers that the seek discards varies, so compare only the last buffers.
        let count = min(outlines[0].count, outlines[1].count, 20)
        #expect(count > 10)
        #expect(outlines[0].suffix(count) == outlines[1].suffix(count))
    }
}
