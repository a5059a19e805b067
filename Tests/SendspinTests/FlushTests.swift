import CGStreamer
import GstTestSupport
import SendspinSupport
import Testing

@testable import Sendspin

/// Tests flushes of the source, and the state of the pipeline after a flush.
@Suite(.serialized) struct FlushTests {
    @Test func threadThatFlushesAlreadyFlushesAgainForOthers() {
        var turn = SendspinSourceReport.FlushTurn()
        let first = turn.begin()
        let others = [turn.begin(), turn.begin()]
        let again = [turn.isRepeated(), turn.isRepeated()]
        let next = turn.begin()
        #expect(first && others == [false, false] && again == [true, false] && next)
    }

    /// The pipeline must not fail with `not-negotiated`.
    @Test func streamThatEndsBeforeItsNewCapsArePushedIsNoError() throws {
        let rig = try SendspinRig("audioconvert ! audio/x-raw,format=S16LE ! fakesink name=s sync=false", "codecs=pcm")
        let pad = PadOfRig(gst_element_get_static_pad(rig.pipeline.element("p"), "src"))
        let server = rig.server
        // The source posts the message on its streaming thread before it pushes the caps.
        let handler = SyncHandler(rig.pipeline, "sendspin-format") {
            server.end()
            _ = eventually { pad.isFlushing }
        }
        try #require(rig.start())
        server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.hasBytes(1))
        try #require(server.change(to: .pcm(bitDepth: 24)) != nil)
        #expect(handler.hasRun())
        server.play(.pcm(), lead: .milliseconds(600), firstIndex: 1_000_000)
        #expect(eventually { rig.indices.contains(1_000_000) })
        #expect(rig.bus.problems == [])
    }

    @Test func pipelineIsPlayingAfterTheEndOfAStream() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.hasBytes(1))
        rig.server.end()
        #expect(rig.bus.has("element: sendspin-stream-end"))
        #expect(eventually { gst_element_get_state(rig.pipeline.raw, nil, nil, 0) == GST_STATE_CHANGE_SUCCESS })
        #expect(rig.pipeline.raw.pointee.current_state == GST_STATE_PLAYING)
    }

    @Test func pipelineWithoutAClockPlays() throws {
        let rig = try SendspinRig()
        gst_pipeline_use_clock(UnsafeMutableRawPointer(rig.pipeline.raw).assumingMemoryBound(to: GstPipeline.self), nil)
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(48_000))
        #expect(rig.rampFault == nil)
        #expect(rig.bus.problems == [])
    }

    @Test func frameThatADecoderHeldBackKeepsItsLatency() {
        var latencies = TimestampLatency()
        let unknown = latencies.latency(of: .seconds(1), after: nil)
        latencies.announced(.milliseconds(230))
        latencies.announced(.milliseconds(326))
        // The second frame has the same timestamp as the first, because the latency has grown by one frame.
        let held = latencies.latency(of: .seconds(1), after: .milliseconds(1_230))
        let next = latencies.latency(of: .seconds(1), after: .milliseconds(1_326))
        let last = latencies.latency(of: .milliseconds(1_096), after: .milliseconds(1_422))
        #expect(unknown == nil && latencies.newest == .milliseconds(326))
        #expect([held, next, last] == [.milliseconds(230), .milliseconds(326), .milliseconds(326)])
    }
}

/// A source pad, with a property that tells whether the pad is flushing.
private final class PadOfRig: @unchecked Sendable {  // GstPad has its own mutex.
    private let pad: UnsafeMutablePointer<GstPad>?

    init(_ pad: UnsafeMutablePointer<GstPad>?) { self.pad = pad }

    deinit { gst_object_unref(pad) }

    var isFlushing: Bool { pad.map { cgst_pad_is_flushing($0) != 0 } ?? false }
}
