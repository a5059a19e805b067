import CGStreamer
import GstTestSupport
import Testing

/// Tests the effect of each policy, and of the settings that limit the effect.
@Suite(.serialized) struct PolicyTests {
    private static let encoder = "x264enc name=e tune=zerolatency speed-preset=ultrafast bitrate=1000"

    /// Raises the level, waits for the last rung, and lowers the level; returns all caps and the last rung's action.
    private func fall(_ settings: String, _ after: String, level: String = "critical") -> (
        ThermalRig, caps: [String], String
    ) {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1", settings, after)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: level)
        #expect(eventually { rig.level == level && rig.action != "none" })
        // The element has reached the last rung if it posts no message for many dwells.
        while rig.pipeline.listen(seconds: 0.5).contains(where: { $0.contains("thermal-level-changed") }) {}
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 3 })
        let least = rig.action
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(
            eventually { rig.action == "none" && rig.pipeline.get("bitrate", of: "e") == "1000" }, "\(rig.action)")
        let again = rig.output.frames
        #expect(eventually { rig.output.frames > again + 5 })
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") || $0.hasPrefix("warning") })
        #expect(rig.output.wrongFrames == 0)
        return (rig, rig.output.caps, least)
    }

    @Test(arguments: [
        ("balanced", "80x60, 5/1 fps, bitrate 3%"), ("maintain-framerate", "80x60, bitrate 13%"),
        ("maintain-resolution", "5/1 fps, bitrate 26%"), ("bitrate-first", "80x60, 5/1 fps, bitrate 3%"),
    ])
    func keepsTheQuantityOfThePolicysName(policy: String, least: String) {
        guard Setup.has(Self.encoder) else { return }
        let (_, caps, end) = fall("policy=\(policy)", Self.encoder + " ! fakesink")
        #expect(end == least)
        #expect(caps.first == "320x240@30/1" && caps.last == "320x240@30/1")
        if policy == "maintain-framerate" { #expect(caps.allSatisfy { $0.hasSuffix("@30/1") }, "\(caps)") }
        if policy == "maintain-resolution" { #expect(caps.allSatisfy { $0.hasPrefix("320x240@") }, "\(caps)") }
    }

    /// If the caps must not change, the element drops frames, even with a policy that keeps the frame rate.
    @Test(arguments: [
        ("balanced", "5/1 fps, bitrate 26%"), ("maintain-framerate", "5/1 fps, bitrate 26%"),
        ("maintain-resolution", "5/1 fps, bitrate 26%"), ("bitrate-first", "5/1 fps, bitrate 26%"),
    ])
    func keepsTheCapsBeforeAMuxer(policy: String, least: String) {
        guard Setup.has(Self.encoder + " ! matroskamux") else { return }
        let (_, caps, end) = fall("policy=\(policy)", Self.encoder + " ! matroskamux ! fakesink")
        #expect(end == least)
        #expect(caps == ["320x240@30/1"])
    }

    @Test(arguments: [
        ("auto", "matroskamux", false), ("auto", "mpegtsmux", true), ("true", "mpegtsmux", true),
        ("false", "mpegtsmux", false), ("false", "matroskamux", false),
    ])
    func changesTheCapsOnlyIfAllowed(setting: String, muxer: String, mayChange: Bool) {
        guard Setup.has(Self.encoder + " ! \(muxer)") else { return }
        let (_, caps, end) = fall("allow-resolution-change=\(setting)", Self.encoder + " ! \(muxer) ! fakesink")
        #expect(end == (mayChange ? "80x60, 5/1 fps, bitrate 3%" : "5/1 fps, bitrate 26%"))
        #expect((caps.count > 1) == mayChange, "\(caps)")
    }

    /// With `allow-resolution-change=true`, the caps change although the muxer then posts an error.
    @Test func changesCapsWhenTheUserInsists() {
        guard Setup.has(Self.encoder + " ! matroskamux") else { return }
        let rig = ThermalRig(
            LadderTests.fixed, "allow-resolution-change=true",
            "videoconvert ! \(Self.encoder) ! matroskamux name=mux ! fakesink")
        let muxed = PadRecorder(rig.pipeline, "mux", pad: "src")
        rig.play()
        // The muxer accepts other caps until it has written its header.
        #expect(eventually { muxed.frames > 2 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.caps.count > 1 })
        #expect(rig.pipeline.listen().contains { $0.hasPrefix("error") })
    }

    @Test(arguments: [
        ("min-framerate=12 min-height=100", "134x100, 12/1 fps"), ("min-framerate=1000 min-height=60", "80x60"),
        ("min-framerate=5 min-height=16384", "5/1 fps"), ("min-framerate=20 min-height=240", "20/1 fps"),
    ])
    func neverStepsBelowTheMinimum(settings: String, least: String) {
        let rig = ThermalRig(LadderTests.fixed, settings + " forced-level=critical")
        rig.play()
        #expect(eventually { rig.action == least }, "\(rig.action)")
        while rig.pipeline.listen(seconds: 0.5).contains(where: { $0.contains("thermal-level-changed") }) {}
        #expect(rig.action == least)
    }

    @Test(arguments: [("low", "15/1"), ("medium", "22/1"), ("high", "30/1")])
    func startsEachPolicyAtTheTier(tier: String, rate: String) {
        let rig = ThermalRig(LadderTests.fixed, "device-tier=\(tier) policy=maintain-framerate")
        rig.play()
        #expect(eventually { rig.output.last == "320x240@\(rate)" })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@\(rate)" }, "\(rig.output.caps)")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.output.last == "320x240@\(rate)" })
    }

    @Test func continuesOnTheLastRungOfEachPolicyWithNeverStop() {
        for (policy, least) in [("maintain-framerate", "80x60"), ("maintain-resolution", "5/1 fps")] {
            let rig = ThermalRig(LadderTests.fixed, "never-stop=true policy=\(policy)")
            rig.play()
            #expect(eventually { rig.level == "nominal" })
            rig.machine.heat(to: 99)
            #expect(eventually { rig.level == "shutdown" && rig.action == least }, "\(rig.action)")
            let frames = rig.output.frames
            #expect(eventually { rig.output.frames > frames + 3 })
            #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        }
    }
}
