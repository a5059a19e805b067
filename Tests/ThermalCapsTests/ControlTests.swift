import CGStreamer
import StageSupport
import Synchronization
import Testing

/// What an application and other elements can say.
@Suite(.serialized) struct ControlTests {
    @Test func decidesOnceAfterARestartInTheSignalHandler() {
        let show = Show()
        typealias Handler =
            @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<GstCaps>?, gpointer?)
            -> UnsafeMutablePointer<GstCaps>?
        let asked = Asked()
        asked.pipeline.store(UInt(bitPattern: show.stage.pipeline), ordering: .relaxed)
        let handler: Handler = { _, _, _, asked in
            let asked = Unmanaged<Asked>.fromOpaque(asked!).takeUnretainedValue()
            guard asked.count.add(1, ordering: .relaxed).oldValue == 0 else { return nil }
            let pipeline = UnsafeMutablePointer<GstElement>(bitPattern: asked.pipeline.load(ordering: .relaxed))
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_element_set_state(pipeline, GST_STATE_PLAYING)
            return nil
        }
        g_signal_connect_data(
            show.stage.element(), "configure-caps", unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passUnretained(asked).toOpaque(), nil, GConnectFlags(rawValue: 0))
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.machine.heat(to: 85)
        #expect(show.becomes { show.action == "20/1 fps" && asked.count.load(ordering: .relaxed) > 1 })
        let before = asked.count.load(ordering: .relaxed)
        show.machine.heat(to: 72)
        // Serious to fair on one rung, then up: two questions, if one thread asks.
        #expect(show.becomes { show.action == "none" })
        g_usleep(100_000)
        #expect(asked.count.load(ordering: .relaxed) <= before + 2)
        gst_element_set_state(show.stage.pipeline, GST_STATE_NULL)
        withExtendedLifetime(asked) {}
    }

    private final class Asked: Sendable {
        let count = Atomic<Int>(0)
        let pipeline = Atomic<UInt>(0)
    }

    @Test func passesFramesUnchangedWhenDisabled() {
        let show = Show(
            LadderTests.fixed,
            "enabled=false forced-level=critical")
        show.play()
        #expect(show.becomes { show.output.frames > 20 })
        #expect(
            show.output.caps == ["320x240@30/1"] && show.action == "none" && show.input.frames == show.output.frames)
        show.stage.set("enabled", to: "true")
        #expect(show.becomes { show.action == "80x60, 5/1 fps" })
        show.stage.set("enabled", to: "false")
        #expect(show.becomes { show.output.last == "320x240@30/1" && show.action == "none" })
    }

    @Test func prefersTheForcedLevelToTheSensors() {
        let show = Show(
            LadderTests.fixed, "forced-level=serious")
        show.play()
        #expect(show.becomes { show.output.last == "320x240@20/1" })
        show.machine.heat(to: 92)
        _ = show.stage.listen(seconds: 0.2)
        #expect(show.level == "serious")
        show.stage.set("forced-level", to: "unknown")
        #expect(show.becomes { show.level == "unknown" })
        #expect(show.output.last == "320x240@20/1")
        show.stage.set("forced-level", to: "none")
        #expect(show.becomes { show.action.contains("80x60") })
    }

    @Test func startsAtTheRateOfTheTier() {
        for (tier, caps) in [("low", "320x240@15/1"), ("medium", "320x240@22/1"), ("high", "320x240@30/1")] {
            let show = Show(
                LadderTests.fixed, "device-tier=\(tier)")
            show.play()
            #expect(show.becomes { show.output.last == caps })
        }
    }

    @Test func countsTheTimeInEachLevel() {
        let show = Show()
        show.play()
        show.machine.heat(to: 85)
        #expect(show.becomes { show.level == "serious" })
        _ = show.stage.listen(seconds: 0.3)
        let durations = show.stage.get("limitation-durations")
        let serious = durations.range(of: "serious=(double)").flatMap {
            Double(durations[$0.upperBound...].prefix { $0 != "," && $0 != ";" })
        }
        #expect((serious ?? 0) > 0.25, "\(durations)")
    }

    @Test func warnsOfAnEncoderThatIgnoresItsBitrate() {
        guard installed("x264enc") else { return }
        // It may not become so coarse.
        let show = Show(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=30/1",
            "policy=bitrate-first",
            "x264enc name=stubborn qp-max=10 bitrate=200 tune=zerolatency ! fakesink")
        show.play()
        _ = show.stage.listen(seconds: 2)
        show.stage.set("forced-level", to: "serious")
        let heard = show.stage.listen(seconds: 12)
        let warnings = heard.filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings.first?.contains("stubborn") == true, "\(heard)")
        #expect((Double(show.stage.get("measured-bitrate")) ?? 0) > 100_000)
    }

    @Test func doesNotWarnOfAnEncoderThatFollows() {
        guard installed("x264enc") else { return }
        let show = Show(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=30/1",
            "policy=bitrate-first", "x264enc bitrate=200 tune=zerolatency vbv-buf-capacity=200 ! fakesink")
        show.play()
        _ = show.stage.listen(seconds: 2)
        show.stage.set("forced-level", to: "serious")
        let heard = show.stage.listen(seconds: 9)
        #expect(!heard.contains { $0.hasPrefix("warning") }, "\(heard)")
        #expect((Double(show.stage.get("measured-bitrate")) ?? 0) > 10_000)
    }

    @Test func lowersTheNamedEncoder() {
        guard installed("x264enc") else { return }
        let show = Show(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=30/1", "encoder=second",
            "tee name=t t. ! queue ! x264enc name=first bitrate=1000 tune=zerolatency ! fakesink t. ! queue ! x264enc name=second bitrate=1000 tune=zerolatency ! fakesink"
        )
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.machine.heat(to: 85)
        #expect(show.becomes { show.stage.get("bitrate", of: "second") == "700" })
        #expect(show.stage.get("bitrate", of: "first") == "1000")
        // What is stopped in the middle is given back as well.
        show.stage.go(GST_STATE_READY)
        #expect(show.stage.get("bitrate", of: "second") == "1000")
    }

    @Test(arguments: [("nobody", "There is no element \"nobody\""), ("out", "Where \"out\" keeps its bitrate")])
    func warnsOnceOfANamedElementWithoutBitrate(name: String, words: String) {
        let show = Show(LadderTests.fixed, "encoder=\(name)", "fakesink name=out")
        show.play()
        let warnings = show.stage.listen(seconds: 0.5).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings.first?.contains(words) == true, "\(warnings)")
    }
}
