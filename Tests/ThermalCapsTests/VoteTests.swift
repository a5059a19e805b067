import CGStreamer
import MachineSupport
import StageSupport
import Synchronization
import Testing

@testable import ThermalCaps

/// Other reasons than heat.
@Suite(.serialized) struct VoteTests {
    @Test func holdsTheStepUntilEveryRequestEnds() {
        let show = Show(
            LadderTests.fixed, "",
            "queue ! fakesink name=out")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        #expect(show.sendUpstream("quality-degrade", reason: "latency"))
        #expect(show.becomes { show.action == "20/1 fps" })
        // As another element downstream would.
        let pad = gst_element_get_static_pad(show.stage.element("out"), "sink")
        let event = gst_event_new_custom(
            GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string("quality-degrade, reason=(string)network", nil))
        #expect(gst_pad_push_event(pad, event) != 0)
        gst_object_unref(pad)
        #expect(show.becomes { show.reasons == "latency,network" })
        #expect(show.becomes { show.action.contains("214x160") })
        #expect(show.sendUpstream("quality-restore", reason: "latency"))
        _ = show.stage.listen(seconds: 0.3)
        #expect(show.action.contains("214x160"))
        #expect(show.sendUpstream("quality-restore", reason: "network"))
        #expect(show.becomes { show.action == "none" })
        #expect(show.sendUpstream("quality-degrade", reason: nil))
        #expect(show.becomes { show.action == "20/1 fps" })
    }

    @Test func forwardsOtherEventsUpstream() {
        let show = Show()
        show.play()
        let event = gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty("something-else"))
        let pad = gst_element_get_static_pad(show.stage.element(), "src")
        // Nobody takes it, and nobody keeps it.
        _ = gst_pad_send_event(pad, event)
        gst_object_unref(pad)
        #expect(show.reasons.isEmpty)
    }

    /// The time is that of the test's machine, whatever its speed: it is only waited for.
    @Test(arguments: ["(guint64)300000000", "(gint64)300000000", "(int)300000000", "300000000", "(uint)300000000"])
    func endsARequestAfterItsDuration(duration: String) {
        let show = Show()
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        #expect(show.sendUpstream("quality-degrade", reason: "network", duration: duration))
        #expect(show.becomes { show.action == "20/1 fps" && show.reasons == "network" })
        #expect(show.becomes { show.action == "none" && show.reasons.isEmpty })
    }

    @Test func restoresRequestedStepsWithoutSensors() {
        let show = Show(machine: FakeMachine(celsius: nil))
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        #expect(show.sendUpstream("quality-degrade", reason: "network"))
        #expect(show.becomes { show.action == "20/1 fps" && show.level == "unknown" })
        #expect(show.sendUpstream("quality-restore", reason: "network"))
        #expect(show.becomes { show.action == "none" && show.output.last == "320x240@30/1" })
    }

    @Test func takesOneStepForARepeatedRequest() {
        let show = Show()
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        for _ in 0..<50 {
            #expect(show.sendUpstream("quality-degrade", reason: "network", duration: "(guint64)60000000000"))
            g_usleep(10_000)
        }
        #expect(show.becomes { show.action == "20/1 fps" })
        #expect(show.stage.get("changes") == "1")
        // Without an end, the next asks for more, and stays.
        #expect(show.sendUpstream("quality-degrade", reason: "network"))
        #expect(show.becomes { show.action == "214x160, 20/1 fps" })
        #expect(show.sendUpstream("quality-restore", reason: "network"))
        #expect(show.becomes { show.action == "none" })
    }

    @Test(arguments: ["(guint64)0", "(int)-5", "(string)long", "(double)3.0", "(boolean)true"])
    func warnsOnceOfAnInvalidDuration(duration: String) {
        let show = Show()
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        for _ in 0..<3 { #expect(show.sendUpstream("quality-degrade", reason: "network", duration: duration)) }
        let warnings = show.stage.listen(seconds: 0.3).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings[0].contains("quality-degrade") && warnings[0].contains("duration="))
        #expect(show.action == "none" && show.reasons.isEmpty)
        // No clock time is no end.
        #expect(
            show.sendUpstream("quality-degrade", reason: "network", duration: "(guint64)18446744073709551615"))
        #expect(show.becomes { show.reasons == "network" })
    }

    @Test func keepsRequestsOverAFlushAndDropsThemInReady() {
        let show = Show(
            "videotestsrc num-buffers=100000 ! video/x-raw,width=320,height=240,framerate=30/1", "",
            "fakesink sync=true")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        #expect(show.sendUpstream("quality-degrade", reason: "latency"))
        #expect(show.becomes { show.output.last == "320x240@20/1" })
        #expect(
            gst_element_seek_simple(show.stage.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 1_000_000_000) != 0)
        let frames = show.output.frames
        #expect(show.becomes { show.output.frames > frames + 5 })
        #expect(show.reasons == "latency" && show.output.last == "320x240@20/1")
        show.stage.go(GST_STATE_PAUSED)
        show.play()
        #expect(show.becomes { show.reasons == "latency" })
        show.stage.go(GST_STATE_READY)
        show.play()
        let again = show.output.frames
        #expect(show.becomes { show.output.frames > again + 5 })
        #expect(show.reasons.isEmpty && show.output.last == "320x240@30/1")
    }

    @Test func ignoresRequestsBeforeItStarts() {
        let show = Show()
        show.stage.go(GST_STATE_READY)
        #expect(!show.sendUpstream("quality-degrade", reason: "network"))
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        #expect(show.sendUpstream("quality-degrade", reason: "network"))
        show.stage.go(GST_STATE_READY)
        #expect(!show.sendUpstream("quality-degrade", reason: "network"))
        #expect(!show.sendUpstream("quality-restore", reason: "network"))
    }

    @Test func clampsTheSleepForARequestOfCenturies() {
        let longest = Duration.seconds(4)
        func sleep(_ due: Duration?, now: Duration = .seconds(1)) -> Duration {
            ThermalEngine.sleep(until: due, now: now, longest: longest)
        }
        #expect(sleep(nil) == longest && sleep(.seconds(9)) == longest && sleep(.seconds(5)) == longest)
        #expect(sleep(.seconds(1)) == .milliseconds(1) && sleep(.zero) == .milliseconds(1))
        #expect(sleep(.seconds(2)) == .seconds(1))
        for now in [0, 1, 600, 1_000_000_000] as [Int64] {
            #expect(sleep(.nanoseconds(Int64.max), now: .nanoseconds(now)) == longest)
            #expect(sleep(.nanoseconds(Int64.max) * 2, now: .nanoseconds(now)) == longest)
        }
    }

    /// Who does nothing leaves votes to others upstream.
    @Test func dropsAndIgnoresRequestsWhenDisabled() {
        let show = Show()
        let passed = Passed()
        let pad = gst_element_get_static_pad(show.stage.element(), "sink")
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, passed in
                let event = info!.pointee.data.assumingMemoryBound(to: GstEvent.self)
                if gst_event_has_name(event, "quality-degrade") != 0 {
                    Unmanaged<Passed>.fromOpaque(passed!).takeUnretainedValue().count.add(1, ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(passed).toOpaque(), nil)
        gst_object_unref(pad)
        func vote() {
            let pad = gst_element_get_static_pad(show.stage.element(), "src")
            let event = gst_event_new_custom(
                GST_EVENT_CUSTOM_UPSTREAM, gst_structure_from_string("quality-degrade, reason=(string)other", nil))
            _ = gst_pad_send_event(pad, event)
            gst_object_unref(pad)
        }
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        vote()
        #expect(show.becomes { show.reasons == "other" && show.action == "20/1 fps" })
        #expect(passed.count.load(ordering: .relaxed) == 0)
        show.stage.set("enabled", to: "false")
        #expect(show.becomes { show.reasons.isEmpty && show.action == "none" })
        vote()
        #expect(passed.count.load(ordering: .relaxed) == 1)
        show.stage.set("enabled", to: "true")
        #expect(show.becomes { show.level == "nominal" })
        #expect(show.reasons.isEmpty && show.action == "none")
        show.stage.go(GST_STATE_NULL)
        withExtendedLifetime(passed) {}
    }

    private final class Passed: Sendable {
        let count = Atomic<Int>(0)
    }
}
