import CGStreamer
import TestSupport
import GstTestSupport
import Synchronization
import Testing

@testable import ThermalCaps

/// Tests requests of other elements for lower quality.
@Suite(.serialized) struct QualityRequestTests {
    @Test func holdsTheStepUntilEveryRequestEnds() {
        let rig = ThermalRig(
            LadderTests.fixed, "",
            "queue ! fakesink name=out")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "latency"))
        #expect(eventually { rig.action == "20/1 fps" })
        // An element downstream sends the event in the same way.
        let pad = gst_element_get_static_pad(rig.pipeline.element("out"), "sink")
        let event = gst_event_new_custom(
            GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string("quality-degrade, reason=(string)network", nil))
        #expect(gst_pad_push_event(pad, event) != 0)
        gst_object_unref(pad)
        #expect(eventually { rig.reasons == "latency,network" })
        #expect(eventually { rig.action.contains("214x160") })
        #expect(rig.sendUpstream("quality-restore", reason: "latency"))
        #expect(remains(for: .milliseconds(300)) { rig.action.contains("214x160") })
        #expect(rig.sendUpstream("quality-restore", reason: "network"))
        #expect(eventually { rig.action == "none" })
        #expect(rig.sendUpstream("quality-degrade", reason: nil))
        #expect(eventually { rig.action == "20/1 fps" })
    }

    @Test func forwardsOtherEventsUpstream() {
        let rig = ThermalRig()
        rig.play()
        let event = gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty("something-else"))
        let pad = gst_element_get_static_pad(rig.pipeline.element(), "src")
        let passed = EventCount("something-else", leaving: rig)
        // The source does not handle the event.
        #expect(gst_pad_send_event(pad, event) == 0)
        gst_object_unref(pad)
        #expect(passed.value == 1 && rig.reasons.isEmpty)
    }

    /// The test waits only for the end of the request, so it does not depend on the speed of the machine.
    @Test(arguments: ["(guint64)300000000", "(gint64)300000000", "(int)300000000", "300000000", "(uint)300000000"])
    func endsARequestAfterItsDuration(duration: String) {
        let rig = ThermalRig()
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "network", duration: duration))
        #expect(eventually { rig.action == "20/1 fps" && rig.reasons == "network" })
        #expect(eventually { rig.action == "none" && rig.reasons.isEmpty })
    }

    @Test func restoresRequestedStepsWithoutSensors() {
        let rig = ThermalRig(machine: FakeMachine(celsius: nil))
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "network"))
        #expect(eventually { rig.action == "20/1 fps" && rig.level == "unknown" })
        #expect(rig.sendUpstream("quality-restore", reason: "network"))
        #expect(eventually { rig.action == "none" && rig.output.last == "320x240@30/1" })
    }

    @Test func takesOneStepForARepeatedRequest() {
        let rig = ThermalRig()
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "network", duration: "(guint64)60000000000"))
        #expect(eventually { rig.action == "20/1 fps" })
        // 500 ms are ten dwells.
        #expect(
            remains(for: .milliseconds(500)) {
                rig.sendUpstream("quality-degrade", reason: "network", duration: "(guint64)60000000000")
                    && rig.action == "20/1 fps"
            })
        #expect(rig.pipeline.get("changes") == "1")
        // A request without a duration adds a step, and has no end.
        #expect(rig.sendUpstream("quality-degrade", reason: "network"))
        #expect(eventually { rig.action == "214x160, 20/1 fps" })
        #expect(rig.sendUpstream("quality-restore", reason: "network"))
        #expect(eventually { rig.action == "none" })
    }

    @Test(arguments: ["(guint64)0", "(int)-5", "(string)long", "(double)3.0", "(boolean)true"])
    func warnsOnceOfAnInvalidDuration(duration: String) {
        let rig = ThermalRig()
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        for _ in 0..<3 { #expect(rig.sendUpstream("quality-degrade", reason: "network", duration: duration)) }
        let warnings = rig.pipeline.listen(seconds: 0.3).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings[0].contains("quality-degrade") && warnings[0].contains("duration="))
        #expect(rig.action == "none" && rig.reasons.isEmpty)
        // A request with the duration GST_CLOCK_TIME_NONE has no end.
        #expect(
            rig.sendUpstream("quality-degrade", reason: "network", duration: "(guint64)18446744073709551615"))
        #expect(eventually { rig.reasons == "network" })
    }

    @Test func keepsRequestsOverAFlushAndDropsThemInReady() {
        let rig = ThermalRig(
            "videotestsrc num-buffers=100000 ! video/x-raw,width=320,height=240,framerate=30/1", "",
            "fakesink sync=true")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "latency"))
        #expect(eventually { rig.output.last == "320x240@20/1" })
        #expect(
            gst_element_seek_simple(rig.pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 1_000_000_000) != 0)
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 5 })
        #expect(rig.reasons == "latency" && rig.output.last == "320x240@20/1")
        rig.pipeline.go(GST_STATE_PAUSED)
        rig.play()
        #expect(eventually { rig.reasons == "latency" })
        rig.pipeline.go(GST_STATE_READY)
        rig.play()
        let again = rig.output.frames
        #expect(eventually { rig.output.frames > again + 5 })
        #expect(rig.reasons.isEmpty && rig.output.last == "320x240@30/1")
    }

    @Test func ignoresRequestsBeforeItStarts() {
        let rig = ThermalRig()
        rig.pipeline.go(GST_STATE_READY)
        #expect(!rig.sendUpstream("quality-degrade", reason: "network"))
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        #expect(rig.sendUpstream("quality-degrade", reason: "network"))
        rig.pipeline.go(GST_STATE_READY)
        #expect(!rig.sendUpstream("quality-degrade", reason: "network"))
        #expect(!rig.sendUpstream("quality-restore", reason: "network"))
    }

    @Test func clampsTheSleepForARequestOfCenturies() {
        let longest = Duration.seconds(4)
        func pause(_ due: Duration?, now: Duration = .seconds(1)) -> Duration {
            ThermalCaps.sleep(until: due, now: now, longest: longest)
        }
        #expect(pause(nil) == longest && pause(.seconds(9)) == longest && pause(.seconds(5)) == longest)
        #expect(pause(.seconds(1)) == .milliseconds(1) && pause(.zero) == .milliseconds(1))
        #expect(pause(.seconds(2)) == .seconds(1))
        for now in [0, 1, 600, 1_000_000_000] as [Int64] {
            #expect(pause(.nanoseconds(Int64.max), now: .nanoseconds(now)) == longest)
            #expect(pause(.nanoseconds(Int64.max) * 2, now: .nanoseconds(now)) == longest)
        }
    }

    /// While the element is disabled, it forwards requests upstream.
    @Test func dropsAndIgnoresRequestsWhenDisabled() {
        let rig = ThermalRig()
        let passed = EventCount("quality-degrade", leaving: rig)
        func sendRequest() {
            let pad = gst_element_get_static_pad(rig.pipeline.element(), "src")
            let event = gst_event_new_custom(
                GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string("quality-degrade, reason=(string)other", nil))
            _ = gst_pad_send_event(pad, event)
            gst_object_unref(pad)
        }
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        sendRequest()
        #expect(eventually { rig.reasons == "other" && rig.action == "20/1 fps" })
        #expect(passed.value == 0)
        rig.pipeline.set("enabled", to: "false")
        #expect(eventually { rig.reasons.isEmpty && rig.action == "none" })
        sendRequest()
        #expect(passed.value == 1)
        rig.pipeline.set("enabled", to: "true")
        #expect(eventually { rig.level == "nominal" })
        #expect(rig.reasons.isEmpty && rig.action == "none")
        rig.pipeline.go(GST_STATE_NULL)
    }
}

/// Counts the upstream events of one name that leave `thermalcaps`.
private final class EventCount: Sendable {
    private let name: String
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    init(_ name: String, leaving rig: ThermalRig) {
        self.name = name
        let pad = gst_element_get_static_pad(rig.pipeline.element(), "sink")
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                let counter = Unmanaged<EventCount>.fromOpaque(data!).takeUnretainedValue()
                let event = info!.pointee.data.assumingMemoryBound(to: GstEvent.self)
                if gst_event_has_name(event, counter.name) != 0 { counter.count.add(1, ordering: .relaxed) }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<EventCount>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }
}
