import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests answers of the application to `configure-caps`.
@Suite(.serialized) struct AnswerTests {
    /// Answers `configure-caps` for one level, and counts these answers.
    private final class Application: Sendable {
        let level: String
        let caps: String
        let asked = Atomic<Int>(0)

        init(at level: String, _ caps: String) {
            self.level = level
            self.caps = caps
        }

        func connect(to rig: ThermalRig) {
            typealias Handler =
                @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<GstCaps>?, gpointer?)
                -> UnsafeMutablePointer<GstCaps>?
            let handler: Handler = { _, level, caps, data in
                let application = Unmanaged<Application>.fromOpaque(data!).takeUnretainedValue()
                guard let level, let caps, gst_caps_is_fixed(caps) != 0, String(cString: level) == application.level
                else { return nil }
                application.asked.add(1, ordering: .relaxed)
                return gst_caps_from_string(application.caps)
            }
            g_signal_connect_data(
                rig.pipeline.element(), "configure-caps", unsafeBitCast(handler, to: GCallback.self),
                Unmanaged.passRetained(self).toOpaque(),
                { data, _ in Unmanaged<Application>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
        }
    }

    @Test(arguments: [
        ("video/x-raw, width=200, height=200, framerate=7/1", "200x150@7/1"),
        // Of several structures, the first counts; of a range or list, the largest value counts.
        ("video/x-raw, width=200; video/x-raw, width=100", "200x150@30/1"),
        ("video/x-raw, width=[16,160], framerate={(fraction)15/1,(fraction)20/1}", "160x120@20/1"),
        // The element never increases the size or rate of the stream.
        ("video/x-raw, width=4000, height=3000, framerate=120/1", "320x240@30/1"), ("video/x-raw", "320x240@30/1"),
    ])
    func answerReplacesTheLadderAtItsLevel(caps: String, becomes: String) {
        let rig = ThermalRig()
        Application(at: "serious", caps).connect(to: rig)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.machine.heat(to: 85)
        #expect(eventually { rig.level == "serious" && rig.output.last == becomes }, "\(rig.output.caps)")
        // At the level critical, the application returns NULL, so the ladder applies.
        rig.machine.heat(to: 92)
        #expect(eventually { rig.action == "80x60, 5/1 fps" })
        rig.machine.heat(to: 50)
        #expect(eventually { rig.action == "none" && rig.output.last == "320x240@30/1" })
        let wrong = rig.pipeline.listen(seconds: 0.1).filter { $0.hasPrefix("error") || $0.hasPrefix("warning") }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test(arguments: [
        "ANY", "EMPTY", "audio/x-raw", "video/x-raw, width=-5", "video/x-raw, format=RGB, width=160",
        "video/x-raw(memory:DMABuf), width=160", "video/x-raw, framerate=0/1", "video/x-raw, bitrate-share=2.0",
    ])
    func warnsOnceOfAnInvalidAnswerAndUsesTheLadder(caps: String) {
        let rig = ThermalRig()
        Application(at: "critical", caps).connect(to: rig)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.machine.heat(to: 92)
        #expect(eventually { rig.action == "80x60, 5/1 fps" && rig.output.last == "80x60@5/1" })
        let warnings = rig.pipeline.listen(seconds: 0.2).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings[0].contains("configure-caps, level critical: "), "\(warnings)")
    }

    @Test func raisesAnAnswerToTheMinimumAndWarns() {
        let rig = ThermalRig()
        Application(at: "serious", "video/x-raw, width=20, framerate=1/1").connect(to: rig)
        rig.play()
        rig.machine.heat(to: 85)
        #expect(eventually { rig.output.last == "80x60@5/1" }, "\(rig.output.caps)")
        let warnings = rig.pipeline.listen(seconds: 0.2).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1 && warnings[0].contains("min-height=60"), "\(warnings)")
    }

    /// Tests that the signal is emitted at each step, not at each reading, even if no answer reduces the quality.
    @Test func emitsConfigureCapsOncePerStep() {
        let rig = ThermalRig()
        let application = Application(at: "critical", "video/x-raw")
        application.connect(to: rig)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.machine.heat(to: 92)
        #expect(eventually { rig.level == "critical" && application.asked.load(ordering: .relaxed) > 3 })
        // One second is long enough for all steps, and for dozens of readings.
        _ = rig.pipeline.listen(seconds: 1)
        let asked = application.asked.load(ordering: .relaxed)
        _ = rig.pipeline.listen(seconds: 0.5)
        #expect(application.asked.load(ordering: .relaxed) == asked && asked < 12)
        #expect(rig.output.last == "320x240@30/1" && rig.action == "none")
    }
}
