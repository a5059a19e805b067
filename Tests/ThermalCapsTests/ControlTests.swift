import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests settings of the application and their effect.
@Suite(.serialized) struct ControlTests {
    @Test func decidesOnceAfterARestartInTheSignalHandler() {
        let rig = ThermalRig()
        typealias Handler =
            @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<GstCaps>?, gpointer?)
            -> UnsafeMutablePointer<GstCaps>?
        let asked = Asked()
        asked.pipeline.store(UInt(bitPattern: rig.pipeline.raw), ordering: .relaxed)
        let handler: Handler = { _, _, _, asked in
            let asked = Unmanaged<Asked>.fromOpaque(asked!).takeUnretainedValue()
            guard asked.count.add(1, ordering: .relaxed).oldValue == 0 else { return nil }
            let pipeline = UnsafeMutablePointer<GstElement>(bitPattern: asked.pipeline.load(ordering: .relaxed))
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_element_set_state(pipeline, GST_STATE_PLAYING)
            return nil
        }
        g_signal_connect_data(
            rig.pipeline.element(), "configure-caps", unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passUnretained(asked).toOpaque(), nil, GConnectFlags(rawValue: 0))
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.machine.heat(to: 85)
        #expect(eventually { rig.action == "20/1 fps" && asked.count.load(ordering: .relaxed) > 1 })
        let before = asked.count.load(ordering: .relaxed)
        rig.machine.heat(to: 72)
        // The level falls to fair, and then a step up follows, so a single deciding thread emits two signals.
        #expect(eventually { rig.action == "none" })
        #expect(remains(for: .milliseconds(100)) { asked.count.load(ordering: .relaxed) <= before + 2 })
        gst_element_set_state(rig.pipeline.raw, GST_STATE_NULL)
        withExtendedLifetime(asked) {}
    }

    private final class Asked: Sendable {
        let count = Atomic<Int>(0)
        let pipeline = Atomic<UInt>(0)
    }

    @Test func passesFramesUnchangedWhenDisabled() {
        let rig = ThermalRig(
            LadderTests.fixed,
            "enabled=false forced-level=critical")
        rig.play()
        #expect(eventually { rig.output.frames > 20 })
        #expect(
            rig.output.caps == ["320x240@30/1"] && rig.action == "none" && rig.input.frames == rig.output.frames)
        rig.pipeline.set("enabled", to: "true")
        #expect(eventually { rig.action == "80x60, 5/1 fps" })
        rig.pipeline.set("enabled", to: "false")
        #expect(eventually { rig.output.last == "320x240@30/1" && rig.action == "none" })
    }

    @Test func prefersTheForcedLevelToTheSensors() {
        let rig = ThermalRig(
            LadderTests.fixed, "forced-level=serious")
        rig.play()
        #expect(eventually { rig.output.last == "320x240@20/1" })
        rig.machine.heat(to: 92)
        #expect(remains(for: .milliseconds(200)) { rig.level == "serious" })
        rig.pipeline.set("forced-level", to: "unknown")
        #expect(eventually { rig.level == "unknown" })
        #expect(rig.output.last == "320x240@20/1")
        rig.pipeline.set("forced-level", to: "none")
        #expect(eventually { rig.action.contains("80x60") })
    }

    @Test func startsAtTheRateOfTheTier() {
        for (tier, caps) in [("low", "320x240@15/1"), ("medium", "320x240@22/1"), ("high", "320x240@30/1")] {
            let rig = ThermalRig(
                LadderTests.fixed, "device-tier=\(tier)")
            rig.play()
            #expect(eventually { rig.output.last == caps })
        }
    }

    @Test func countsTheTimeInEachLevel() {
        let rig = ThermalRig()
        rig.play()
        rig.machine.heat(to: 85)
        #expect(eventually { rig.level == "serious" })
        _ = rig.pipeline.listen(seconds: 0.3)
        let durations = rig.pipeline.get("limitation-durations")
        let serious = durations.range(of: "serious=(double)").flatMap {
            Double(durations[$0.upperBound...].prefix { $0 != "," && $0 != ";" })
        }
        #expect((serious ?? 0) > 0.25, "\(durations)")
    }

    @Test func warnsOfAnEncoderThatIgnoresItsBitrate() {
        guard Setup.has("x264enc") else { return }
        // qp-max prevents the encoder from lowering its bitrate.
        let rig = ThermalRig(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=30/1",
            "policy=bitrate-first",
            "x264enc name=stubborn qp-max=10 bitrate=200 tune=zerolatency ! fakesink")
        rig.play()
        _ = rig.pipeline.listen(seconds: 2)
        rig.pipeline.set("forced-level", to: "serious")
        let heard = rig.pipeline.listen(seconds: 12)
        let warnings = heard.filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings.first?.contains("stubborn") == true, "\(heard)")
        #expect((Double(rig.pipeline.get("measured-bitrate")) ?? 0) > 100_000)
    }

    @Test func doesNotWarnOfAnEncoderThatFollows() {
        guard Setup.has("x264enc") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=30/1",
            "policy=bitrate-first", "x264enc bitrate=200 tune=zerolatency vbv-buf-capacity=200 ! fakesink")
        rig.play()
        _ = rig.pipeline.listen(seconds: 2)
        rig.pipeline.set("forced-level", to: "serious")
        let heard = rig.pipeline.listen(seconds: 9)
        #expect(!heard.contains { $0.hasPrefix("warning") }, "\(heard)")
        #expect((Double(rig.pipeline.get("measured-bitrate")) ?? 0) > 10_000)
    }

    @Test func lowersTheNamedEncoder() {
        guard Setup.has("x264enc") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=30/1", "encoder=second",
            "tee name=t t. ! queue ! x264enc name=first bitrate=1000 tune=zerolatency ! fakesink t. ! queue ! x264enc name=second bitrate=1000 tune=zerolatency ! fakesink"
        )
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.machine.heat(to: 85)
        #expect(eventually { rig.pipeline.get("bitrate", of: "second") == "700" })
        #expect(rig.pipeline.get("bitrate", of: "first") == "1000")
        // A stop during the reduction also restores the bitrate.
        rig.pipeline.go(GST_STATE_READY)
        #expect(rig.pipeline.get("bitrate", of: "second") == "1000")
    }

    @Test(arguments: [("nobody", "There is no element \"nobody\""), ("out", "\"out\" is not a known encoder")])
    func warnsOnceOfANamedElementWithoutBitrate(name: String, words: String) {
        let rig = ThermalRig(LadderTests.fixed, "encoder=\(name)", "fakesink name=out")
        rig.play()
        let warnings = rig.pipeline.listen(seconds: 0.5).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings.first?.contains(words) == true, "\(warnings)")
    }
}
