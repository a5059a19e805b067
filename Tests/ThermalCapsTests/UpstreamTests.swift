import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests requests to the source, and their effect on other branches.
@Suite(.serialized) struct UpstreamTests {
    /// A camera with two sizes and two rates.
    private static let camera =
        "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate={(fraction)30/1,(fraction)15/1};"
        + "video/x-raw,format=I420,width=160,height=120,framerate={(fraction)30/1,(fraction)15/1};"
        + "video/x-raw,format=I420,width=160,height=90,framerate=5/1"

    @Test func requestsTheLeastSufficientCapsOfACamera() {
        let rig = ThermalRig(Self.camera)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.input.last == "320x240@30/1")
        rig.pipeline.set("forced-level", to: "critical")
        // The camera does not offer 80x60, and 160x90 has another aspect ratio.
        #expect(eventually { rig.output.last == "80x60@5/1" && rig.input.last == "160x120@15/1" })
        #expect(!rig.input.caps.contains { $0.hasPrefix("160x90") })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.input.last == "320x240@30/1" && rig.output.last == "320x240@30/1" })
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(rig.input.wrongFrames == 0 && rig.output.wrongFrames == 0)
    }

    /// V4L2 drivers may offer sizes in steps, and 80x60 is not one of the sizes of this source.
    @Test func requestsASizeOnTheStepOfACamera() {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1;"
                + "video/x-raw,format=I420,width=[32,320,32],height=[24,240,24],framerate=30/1")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" && rig.input.last == "96x72@30/1" })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.input.last == "320x240@30/1" && rig.output.last == "320x240@30/1" })
    }

    /// An element that crops a number of pixels would crop another part of a smaller frame.
    @Test(arguments: ["videocrop left=40 right=40", "videobox left=10 border-alpha=0", "gdkpixbufoverlay"])
    func keepsTheSourcesSizeBeforeACrop(cut: String) {
        guard Setup.has(cut) else { return }
        let rig = ThermalRig(LadderTests.open + " ! \(cut) name=cut")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.action.contains("5/1") }, "\(rig.action)")
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 5 })
        #expect(Set(rig.input.caps.compactMap { $0.split(separator: "@").first }).count == 1, "\(rig.input.caps)")
    }

    /// Tests that caps of the application count as full quality, even if the element requested the same caps before.
    @Test func doesNotTakeAnEarlierRequestForTheAnswer() {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! capsfilter name=c caps-change-mode=delayed "
                + "caps=video/x-raw,format=I420,width=320,height=240,framerate=30/1;video/x-raw,format=I420")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.input.last == "320x240@20/1" })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.input.last == "320x240@30/1" && rig.action == "none" })
        rig.pipeline.set("caps", to: "video/x-raw,format=I420,width=320,height=240,framerate=20/1", of: "c")
        #expect(eventually { rig.input.last == "320x240@20/1" })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "13/1 fps" && rig.output.last == "320x240@13/1" }, "\(rig.action)")
    }

    /// A capsfilter with new caps that must negotiate again refuses the frame that is being pushed.
    @Test func doesNotRequestCapsOfAFixedSource() {
        let rig = ThermalRig()
        let asked = Count()
        let pad = gst_element_get_static_pad(rig.pipeline.element(), "sink")
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, asked in
                let event = info!.pointee.data.assumingMemoryBound(to: GstEvent.self)
                if event.pointee.type == GST_EVENT_RECONFIGURE {
                    Unmanaged<Count>.fromOpaque(asked!).takeUnretainedValue().value.add(1, ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(asked).toOpaque(), nil)
        gst_object_unref(pad)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        let before = asked.value.load(ordering: .relaxed)
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.output.last == "320x240@30/1" })
        rig.pipeline.go(GST_STATE_NULL)
        #expect(asked.value.load(ordering: .relaxed) == before)
    }

    @Test func keepsTheCapsOfASharedSource() {
        let rig = ThermalRig(LadderTests.open + " ! tee name=t t. ! queue ! fakesink name=other t. ! queue")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" })
        #expect(rig.input.caps == ["320x240@30/1"])
        // Without the other branch, the source may be requested to change.
        let (other, tee) = (rig.pipeline.element("other"), rig.pipeline.element("t"))
        let sink = gst_element_get_static_pad(other, "sink")
        let queue = gst_pad_get_parent_element(gst_pad_get_peer(sink))
        let entrance = gst_element_get_static_pad(queue, "sink")
        let branch = gst_pad_get_peer(entrance)
        gst_pad_unlink(branch, entrance)
        gst_element_release_request_pad(tee, branch)
        #expect(eventually { rig.input.last == "80x60@5/1" }, "\(rig.input.caps)")
        // When a branch shares the source again, the caps of the source remain reduced, and the action reports this.
        let recorder = Recorder("queue ! fakesink async=false", behind: "t", of: rig)
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.level == "nominal" && rig.action == "80x60, 5/1 fps" }, "\(rig.action)")
        rig.pipeline.set("enabled", to: "false")
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 3 })
        #expect(rig.input.last == "80x60@5/1")
        recorder.leave()
        rig.pipeline.set("enabled", to: "true")
        #expect(eventually { rig.input.last == "320x240@30/1" && rig.action == "none" }, "\(rig.action)")
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }

    /// The latency of a camera is the duration of a frame; if no message reports a change, sinks drop late frames.
    @Test(arguments: [(LadderTests.open, true), (LadderTests.fixed, false)])
    func postsLatencyWhenTheSourceSlowsDown(source: String, isPosted: Bool) {
        let rig = ThermalRig(source, "policy=maintain-resolution", "fakesink sync=true")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        let bus = gst_element_get_bus(rig.pipeline.raw)
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "320x240@5/1" })
        var isHeard = false
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_LATENCY) {
            isHeard =
                isHeard
                || message.pointee.src
                    == UnsafeMutableRawPointer(rig.pipeline.element()).assumingMemoryBound(to: GstObject.self)
            gst_message_unref(message)
        }
        gst_object_unref(bus)
        #expect(isHeard == isPosted)
    }

    /// The element must find the muxer even if the next change ends the reduction.
    @Test func keepsCapsForAMuxerThatIsFoundLate() {
        guard Setup.has("x264enc ! matroskamux") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
            "poll-interval=3600000000000", "tee name=t ! queue ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" })
        let recorder = Recorder(
            "queue ! videoconvert ! x264enc tune=zerolatency ! matroskamux ! fakesink async=false", behind: "t",
            of: rig)
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 2 })
        rig.pipeline.set("enabled", to: "false")
        #expect(eventually { rig.output.frames > frames + 6 })
        #expect(rig.output.last == "80x60@5/1")
        let heard = rig.pipeline.listen(seconds: 0.1)
        #expect(!heard.contains { $0.hasPrefix("error") }, "\(heard) \(rig.output.caps)")
        recorder.leave()
    }

    /// The caps of a muxer must not change, even if its recording starts while the size is reduced.
    @Test func keepsReducedCapsWhenAMuxerIsAdded() {
        guard Setup.has("x264enc ! matroskamux") else { return }
        let rig = ThermalRig(LadderTests.open, "", "tee name=t ! queue ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" })
        let recorder = Recorder(
            "queue ! videoconvert ! x264enc tune=zerolatency ! matroskamux ! fakesink async=false", behind: "t",
            of: rig)
        // The size does not change, but the bitrate of the new encoder is lowered.
        #expect(eventually { rig.action.contains("80x60") && rig.action.contains("bitrate") }, "\(rig.action)")
        rig.pipeline.set("forced-level", to: "nominal")
        // The encoder keeps the bitrate of the small size until the size may increase.
        #expect(
            eventually { rig.level == "nominal" && rig.action == "80x60, 5/1 fps, bitrate 3%" }, "\(rig.action)")
        rig.pipeline.set("enabled", to: "false")
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 3 })
        #expect(rig.output.last == "80x60@5/1")
        rig.pipeline.set("enabled", to: "true")
        recorder.leave()
        #expect(eventually { rig.action == "none" && rig.output.last == "320x240@30/1" }, "\(rig.action)")
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
    }
}
