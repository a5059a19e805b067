import CGStreamer
import GstTestSupport
import SendspinSupport
import Testing

/// Tests the time of the first sample of a stream, in pipelines whose latency becomes known late.
@Suite(.serialized) struct StartTests {
    private static let device = "virtualdac name=s clock-offset=1000000000000"

    /// Plays a second, and checks that the first sample is heard in time if the pipeline starts within `lead`.
    private func check(_ rig: SendspinRig, lead: Duration = .seconds(4)) throws {
        try #require(rig.start())
        rig.server.setSendAhead(lead)
        rig.server.playForVirtualDAC(.flac(), lead: lead)
        #expect(eventually { rig.pipeline.statistic("error-count", of: "s") > 48_000 })
        // The latency of the pipeline is 230 or 326 ms.
        #expect(abs(rig.pipeline.statistic("first-error", of: "s")) <= 20_000_000)
        #expect(rig.bus.problems == [])
    }

    /// A decoder after parsebin is linked only when the parser knows the sample rate.
    @Test func decoderBehindAParsebinPlaysInTime() throws {
        try check(SendspinRig("parsebin ! flacdec ! audioconvert ! \(Self.device)"))
    }

    /// Opening the device takes longer than the source waits for LATENCY events.
    @Test func slowDeviceIsAwaited() throws {
        let rig = try SendspinRig("decodebin ! audioconvert ! \(Self.device)")
        let pad = gst_element_get_static_pad(rig.pipeline.element("s"), "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, _ in
                let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self)
                if event?.pointee.type == GST_EVENT_CAPS { simulateWork(for: .milliseconds(600)) }
                return GST_PAD_PROBE_OK
            }, nil, nil)
        gst_object_unref(pad)
        try check(rig)
    }

    @Test func fileBesideTheDeviceDoesNotDelayIt() throws {
        try check(
            SendspinRig(
                "tee name=t ! queue ! flacparse ! flacdec ! audioconvert ! \(Self.device)  "
                    + "t. ! queue ! flacparse ! filesink location=/dev/null"))
    }
}
