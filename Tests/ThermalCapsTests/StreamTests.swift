import CGStreamer
import Foundation
import GstTestSupport
import Testing

@testable import GStreamer
@testable import ThermalCaps

/// Tests changes of the stream while the quality changes.
@Suite(.serialized) struct StreamTests {
    private let levels = ["nominal", "serious", "critical", "unknown", "fair"]

    @Test func survivesSeeksAndFlushesDuringSteps() {
        let rig = ThermalRig(
            "videotestsrc num-buffers=100000 ! video/x-raw,width=160,height=120,framerate=30/1",
            "down-dwell=0 up-dwell=0", "fakesink sync=true")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        var posted: [String] = []
        for round in 0..<60 {
            rig.pipeline.set("forced-level", to: levels[round % levels.count])
            let rate = round % 7 == 6 ? 2.0 : 1.0
            gst_element_seek(
                rig.pipeline.raw, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET,
                gint64(round % 10) * 1_000_000_000, GST_SEEK_TYPE_NONE, -1)
            posted += rig.pipeline.listen(seconds: 0.02)
        }
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 3 })
        posted += rig.pipeline.listen(seconds: 0.1)
        #expect(!posted.contains { $0.hasPrefix("error") }, "\(posted)")
        #expect(rig.output.wrongFrames == 0)
    }

    @Test func survivesStateChangesDuringSteps() {
        let rig = ThermalRig()
        let states = [GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_NULL]
        var posted: [String] = []
        for round in 0..<60 {
            rig.pipeline.set("forced-level", to: levels[round % levels.count])
            gst_element_set_state(rig.pipeline.raw, states[round % states.count])
            // A state change to NULL discards the messages.
            posted += rig.pipeline.listen(seconds: Double(round % 6) * 0.005)
        }
        rig.pipeline.set("forced-level", to: "nominal")
        rig.play()
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 3 && rig.output.last == "320x240@30/1" })
        posted += rig.pipeline.listen(seconds: 0.1)
        #expect(!posted.contains { $0.hasPrefix("error") }, "\(posted)")
    }

    /// A muxer sends a POSITION query upstream, although the frames have bypassed the scaler.
    @Test func positionBehindAMuxerIsThatOfTheSource() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=30 ! video/x-raw,width=160,height=120,framerate=30/1 ! thermalcaps ! jpegenc ! "
                + "matroskamux ! filesink location=/dev/null")
        #expect(pipeline.playToTheEnd() == GST_MESSAGE_EOS)
        var position: gint64 = 0
        #expect(gst_element_query_position(pipeline.raw, GST_FORMAT_TIME, &position) != 0)
        #expect(position > 900_000_000)
    }

    /// A muxer downstream may refuse new caps, so a stop restores only the bitrate.
    @Test func keepsReducedCapsForTheLastFramesOfAStoppedStream() throws {
        let rig = ThermalRig()
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "80x60@5/1" })
        let instance = InstanceSlot.peek(UnsafeMutableRawPointer(rig.pipeline.element()))
        let element = try #require(instance?.concurrent as? ThermalCaps)
        // `beginStop` is the first part of a stop, in which the pads are still active.
        element.beginStop()
        #expect(eventually { rig.action == "none" })
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 2 })
        #expect(rig.output.last == "80x60@5/1")
    }

    /// A capsfilter with `caps-change-mode=immediate` would refuse frames that are being pushed.
    @Test func followsCapsOfUpstreamDuringSteps() {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! capsfilter name=c caps-change-mode=delayed caps=video/x-raw,width=320,height=240,framerate=60/1",
            "up-dwell=0 down-dwell=0", "queue ! videoconvert ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        let caps = [
            "video/x-raw,width=640,height=480,framerate=60/1", "video/x-raw,width=160,height=120,framerate=30/1",
            "video/x-raw,format=RGB,width=321,height=241,framerate=25/1",
            "video/x-raw,width=64,height=640,framerate=60/1",
            "video/x-raw,format=GRAY8,width=320,height=240,framerate=60/1,pixel-aspect-ratio=4/3",
        ]
        var posted: [String] = []
        for round in 0..<50 {
            rig.pipeline.set("forced-level", to: levels[(round * 3) % levels.count])
            rig.pipeline.set("caps", to: caps[round % caps.count], of: "c")
            posted += rig.pipeline.listen(seconds: 0.03)
        }
        rig.pipeline.set("forced-level", to: "nominal")
        rig.pipeline.set("caps", to: caps[0], of: "c")
        #expect(eventually { rig.output.last == "640x480@60/1" && rig.action == "none" })
        posted += rig.pipeline.listen(seconds: 0.1)
        #expect(!posted.contains { $0.hasPrefix("error") }, "\(posted)")
        #expect(rig.output.wrongFrames == 0)
    }

    @Test(arguments: [
        ("format=I420,width=240,height=320,framerate=30/1", "60x80@5/1"),
        ("format=NV12,width=320,height=240,framerate=30/1,interlace-mode=interleaved", "80x60@5/1"),
        ("format=I420,width=352,height=288,framerate=25/1,pixel-aspect-ratio=12/11", "74x60@5/1"),
        ("format=GRAY16_LE,width=320,height=240,framerate=30000/1001", "80x60@5/1"),
        ("format=v210,width=320,height=240,framerate=30/1", "80x60@5/1"),
        ("format=RGBA64_LE,width=321,height=239,framerate=1/1", "80x60@1/1"),
    ])
    func reducesAndRestoresEveryKindOfVideo(caps: String, least: String) {
        let rig = ThermalRig("videotestsrc is-live=true ! video/x-raw,\(caps)")
        // The test takes longer at a low frame rate.
        rig.play()
        #expect(eventually { rig.output.frames > 1 })
        let first = rig.output.last
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == least }, "\(rig.output.caps)")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.output.last == first }, "\(rig.output.caps)")
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }

    @Test func doesNotScaleSingleFields() {
        guard Setup.has("interlace") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! interlace field-pattern=2:2 ! video/x-raw(format:Interlaced),interlace-mode=alternate",
            "")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.level == "critical" })
        let (input, output) = (rig.input.frames, rig.output.frames)
        #expect(eventually { rig.output.frames > output + 20 })
        #expect(abs((rig.input.frames - input) - (rig.output.frames - output)) <= 1)
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(rig.output.caps.count == 1)
    }

    @Test func reducesAVariableRateEvenly() {
        let rig = ThermalRig(
            "videotestsrc ! video/x-raw,width=64,height=48,framerate=100/1 ! capssetter caps=video/x-raw,framerate=0/1 ! identity sync=true",
            "forced-level=serious policy=maintain-resolution custom-ladder=\"video/x-raw;video/x-raw,framerate=20/1\"",
            "fakesink sync=false")
        guard Setup.has("capssetter") else { return }
        let clock = TestClock(rig.pipeline)
        rig.play()
        #expect(eventually { clock.crank() && rig.action == "20/1 fps" })
        let (input, output) = (rig.input.frames, rig.output.frames)
        for _ in 0..<100 { clock.crank() }
        #expect(eventually { rig.input.frames >= input + 100 })
        let (passed, kept) = (rig.input.frames - input, rig.output.frames - output)
        #expect(abs(kept * 5 - passed) <= 10, "\(kept) of \(passed)")
        #expect(rig.output.caps.allSatisfy { $0 == "64x48@0/1" })
    }

    @Test func keepsTheOnlySizeThatDownstreamAccepts() {
        let rig = ThermalRig(
            LadderTests.fixed, "",
            "video/x-raw,width=320,height=240 ! fakesink")
        rig.play()
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.output.last == "320x240@5/1" }, "\(rig.output.caps)")
        // The action must report no other change.
        #expect(rig.action == "5/1 fps")
        let both = ThermalRig(
            LadderTests.fixed, "",
            "video/x-raw,width=320,height=240,framerate=30/1 ! fakesink")
        both.play()
        both.pipeline.set("forced-level", to: "critical")
        #expect(eventually { both.action.contains("5/1") })
        let (input, output) = (both.input.frames, both.output.frames)
        #expect(eventually { both.input.frames > input + 30 })
        #expect(both.output.frames - output < 12)
        #expect(!both.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(both.output.caps == ["320x240@30/1"])
    }

    /// Simulates an encoder that requires whole blocks, or accepts two sizes only.
    @Test(arguments: [
        ("width=[16,320,16],height=[8,240,8]", "64x48@5/1"), ("width={160,320},height={120,240}", "160x120@5/1"),
    ])
    func selectsTheNearestSizeThatDownstreamAccepts(sizes: String, least: String) {
        let rig = ThermalRig(LadderTests.fixed, "", "capsfilter caps=\"video/x-raw,\(sizes)\" ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "critical")
        let action = least.replacingOccurrences(of: "@", with: ", ") + " fps"
        #expect(
            eventually { rig.output.last == least && rig.action == action }, "\(rig.action) \(rig.output.caps)")
        // The size never increases.
        let widths = rig.output.caps.compactMap { Int($0.prefix { $0 != "x" }) }
        #expect(widths == widths.sorted(by: >), "\(widths)")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.output.last == "320x240@30/1" && rig.action == "none" })
    }

    @Test func negotiatesAgainAfterReconfigure() {
        let rig = ThermalRig(
            LadderTests.fixed, "",
            "capsfilter name=c caps-change-mode=delayed ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("caps", to: "video/x-raw,width=160,height=120", of: "c")
        #expect(eventually { rig.output.last == "160x120@30/1" })
        rig.pipeline.set("caps", to: "video/x-raw", of: "c")
        #expect(eventually { rig.output.last == "320x240@30/1" })
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(rig.output.wrongFrames == 0)
    }

    @Test func acceptsEveryPropertyAtAnyTime() {
        let rig = ThermalRig()
        rig.play()
        var state: UInt32 = 12345
        func random(_ count: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 8) % count
        }
        let sets: [(String, [String])] = [
            ("forced-level", ["none", "unknown", "nominal", "fair", "serious", "critical"]),
            ("policy", ["balanced", "maintain-framerate", "maintain-resolution", "bitrate-first"]),
            ("device-tier", ["auto", "low", "medium", "high"]), ("enabled", ["true", "false"]),
            ("allow-resolution-change", ["auto", "true", "false"]), ("min-framerate", ["1", "7", "1000"]),
            ("min-height", ["16", "100", "16384"]), ("hysteresis", ["0", "50"]), ("forecast", ["0", "600000000000"]),
            ("zones", ["*", "no-such", "cpu*,?"]), ("down-dwell", ["0", "3600000000000"]), ("up-dwell", ["0", "1"]),
            ("encoder", ["fakesink0", "nobody", "p"]), ("never-stop", ["true", "false"]),
            ("custom-ladder", ["video/x-raw", "video/x-raw,width=16,height=16,framerate=1/2147483647", ""]),
        ]
        var posted: [String] = []
        for round in 0..<600 {
            let (property, values) = sets[random(sets.count)]
            rig.pipeline.set(property, to: values[random(values.count)])
            if random(4) == 0 { rig.machine.heat(to: 40 + random(57)) }
            if random(9) == 0 { _ = rig.sendUpstream("quality-degrade", reason: "\(random(5))") }
            if random(9) == 0 { _ = rig.sendUpstream("quality-restore", reason: "\(random(5))") }
            if round % 10 == 0 { posted += rig.pipeline.listen(seconds: 0.01) }
        }
        for (property, value) in [
            ("enabled", "true"), ("forced-level", "nominal"), ("custom-ladder", ""), ("up-dwell", "0"),
            ("device-tier", "high"), ("allow-resolution-change", "true"),
        ] {
            rig.pipeline.set(property, to: value)
        }
        for reason in 0..<5 { _ = rig.sendUpstream("quality-restore", reason: "\(reason)") }
        #expect(eventually { rig.output.last == "320x240@30/1" && rig.action == "none" }, "\(rig.action)")
        posted += rig.pipeline.listen(seconds: 0.1)
        #expect(!posted.contains { $0.hasPrefix("error") }, "\(posted)")
        #expect(rig.output.wrongFrames == 0)
    }
}
