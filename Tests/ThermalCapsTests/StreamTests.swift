import CGStreamer
import Foundation
import StageSupport
import Testing

/// What a stream can do while quality changes.
@Suite(.serialized) struct StreamTests {
    private let levels = ["nominal", "serious", "critical", "unknown", "fair"]

    @Test func survivesSeeksAndFlushesDuringSteps() {
        let show = Show(
            "videotestsrc num-buffers=100000 ! video/x-raw,width=160,height=120,framerate=30/1",
            "down-dwell=0 up-dwell=0", "fakesink sync=true")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        for round in 0..<60 {
            show.stage.set("forced-level", to: levels[round % levels.count])
            let rate = round % 7 == 6 ? 2.0 : 1.0
            gst_element_seek(
                show.stage.pipeline, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET,
                gint64(round % 10) * 1_000_000_000, GST_SEEK_TYPE_NONE, -1)
            g_usleep(20_000)
        }
        let frames = show.output.frames
        #expect(show.becomes { show.output.frames > frames + 3 })
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(show.output.wrongFrames == 0)
    }

    @Test func survivesStateChangesDuringSteps() {
        let show = Show()
        let states = [GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_NULL]
        for round in 0..<60 {
            show.stage.set("forced-level", to: levels[round % levels.count])
            gst_element_set_state(show.stage.pipeline, states[round % states.count])
            g_usleep(gulong(round % 6) * 5_000)
        }
        show.stage.set("forced-level", to: "nominal")
        show.play()
        let frames = show.output.frames
        #expect(show.becomes { show.output.frames > frames + 3 && show.output.last == "320x240@30/1" })
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }

    /// A capsfilter that changes at once refuses frames under way, even with `identity` behind it.
    @Test func followsCapsOfUpstreamDuringSteps() {
        let show = Show(
            "videotestsrc is-live=true ! capsfilter name=c caps-change-mode=delayed caps=video/x-raw,width=320,height=240,framerate=60/1",
            "up-dwell=0 down-dwell=0", "queue ! videoconvert ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        let caps = [
            "video/x-raw,width=640,height=480,framerate=60/1", "video/x-raw,width=160,height=120,framerate=30/1",
            "video/x-raw,format=RGB,width=321,height=241,framerate=25/1",
            "video/x-raw,width=64,height=640,framerate=60/1",
            "video/x-raw,format=GRAY8,width=320,height=240,framerate=60/1,pixel-aspect-ratio=4/3",
        ]
        for round in 0..<50 {
            show.stage.set("forced-level", to: levels[(round * 3) % levels.count])
            show.stage.set("caps", to: caps[round % caps.count], of: "c")
            g_usleep(30_000)
        }
        show.stage.set("forced-level", to: "nominal")
        show.stage.set("caps", to: caps[0], of: "c")
        #expect(show.becomes { show.output.last == "640x480@60/1" && show.action == "none" })
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(show.output.wrongFrames == 0)
    }

    @Test(arguments: [
        ("format=I420,width=240,height=320,framerate=30/1", "60x80@5/1"),
        ("format=NV12,width=320,height=240,framerate=30/1,interlace-mode=interleaved", "80x60@5/1"),
        ("format=I420,width=352,height=288,framerate=25/1,pixel-aspect-ratio=12/11", "74x60@5/1"),
        ("format=GRAY16_LE,width=320,height=240,framerate=30000/1001", "80x60@5/1"),
        ("format=v210,width=320,height=240,framerate=30/1", "80x60@5/1"),
        ("format=RGBA64_LE,width=321,height=239,framerate=1/1", "80x60@1/1"),
    ])
    func everyKindOfPictureGoesDownAndUp(caps: String, least: String) {
        let show = Show("videotestsrc is-live=true ! video/x-raw,\(caps)")
        // Where the rate is slow, so is the test.
        show.play()
        #expect(show.becomes { show.output.frames > 1 })
        let first = show.output.last
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.output.last == least }, "\(show.output.caps)")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.output.last == first }, "\(show.output.caps)")
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }

    @Test func doesNotScaleSingleFields() {
        guard installed("interlace") else { return }
        let show = Show(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! interlace field-pattern=2:2 ! video/x-raw(format:Interlaced),interlace-mode=alternate",
            "")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.level == "critical" })
        let (input, output) = (show.input.frames, show.output.frames)
        #expect(show.becomes { show.output.frames > output + 20 })
        #expect(abs((show.input.frames - input) - (show.output.frames - output)) <= 1)
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(show.output.caps.count == 1)
    }

    @Test func reducesAVariableRateEvenly() {
        let show = Show(
            "videotestsrc ! video/x-raw,width=64,height=48,framerate=100/1 ! capssetter caps=video/x-raw,framerate=0/1 ! identity sync=true",
            "forced-level=serious policy=maintain-resolution custom-ladder=\"video/x-raw;video/x-raw,framerate=20/1\"",
            "fakesink sync=false")
        guard installed("capssetter") else { return }
        show.play()
        #expect(show.becomes { show.action == "20/1 fps" })
        let (input, output) = (show.input.frames, show.output.frames)
        #expect(show.becomes { show.input.frames > input + 100 })
        let kept = Double(show.output.frames - output) / Double(show.input.frames - input)
        #expect(kept > 0.1 && kept < 0.3, "\(kept)")
        #expect(show.output.caps.allSatisfy { $0 == "64x48@0/1" })
    }

    @Test func keepsTheOnlySizeThatDownstreamAccepts() {
        let show = Show(
            LadderTests.fixed, "",
            "video/x-raw,width=320,height=240 ! fakesink")
        show.play()
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.output.last == "320x240@5/1" }, "\(show.output.caps)")
        // And nothing else is claimed.
        #expect(show.action == "5/1 fps")
        let both = Show(
            LadderTests.fixed, "",
            "video/x-raw,width=320,height=240,framerate=30/1 ! fakesink")
        both.play()
        both.stage.set("forced-level", to: "critical")
        #expect(both.becomes { both.action.contains("5/1") })
        let (input, output) = (both.input.frames, both.output.frames)
        #expect(both.becomes { both.input.frames > input + 30 })
        #expect(both.output.frames - output < 12)
        #expect(!both.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(both.output.caps == ["320x240@30/1"])
    }

    /// As an encoder does that wants whole blocks, or knows two sizes.
    @Test(arguments: [
        ("width=[16,320,16],height=[8,240,8]", "64x48@5/1"), ("width={160,320},height={120,240}", "160x120@5/1"),
    ])
    func selectsTheNearestSizeThatDownstreamAccepts(sizes: String, least: String) {
        let show = Show(LadderTests.fixed, "", "capsfilter caps=\"video/x-raw,\(sizes)\" ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "critical")
        let action = least.replacingOccurrences(of: "@", with: ", ") + " fps"
        #expect(
            show.becomes { show.output.last == least && show.action == action }, "\(show.action) \(show.output.caps)")
        // Never larger than before.
        let widths = show.output.caps.compactMap { Int($0.prefix { $0 != "x" }) }
        #expect(widths == widths.sorted(by: >), "\(widths)")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.output.last == "320x240@30/1" && show.action == "none" })
    }

    @Test func negotiatesAgainAfterReconfigure() {
        let show = Show(
            LadderTests.fixed, "",
            "capsfilter name=c caps-change-mode=delayed ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("caps", to: "video/x-raw,width=160,height=120", of: "c")
        #expect(show.becomes { show.output.last == "160x120@30/1" })
        show.stage.set("caps", to: "video/x-raw", of: "c")
        #expect(show.becomes { show.output.last == "320x240@30/1" })
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(show.output.wrongFrames == 0)
    }

    @Test func acceptsEveryPropertyAtAnyTime() {
        let show = Show()
        show.play()
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
        for round in 0..<600 {
            let (property, values) = sets[random(sets.count)]
            show.stage.set(property, to: values[random(values.count)])
            if random(4) == 0 { show.machine.heat(to: 40 + random(57)) }
            if random(9) == 0 { _ = show.sendUpstream("quality-degrade", reason: "\(random(5))") }
            if random(9) == 0 { _ = show.sendUpstream("quality-restore", reason: "\(random(5))") }
            if round % 10 == 0 { g_usleep(10_000) }
        }
        for (property, value) in [
            ("enabled", "true"), ("forced-level", "nominal"), ("custom-ladder", ""), ("up-dwell", "0"),
            ("device-tier", "high"), ("allow-resolution-change", "true"),
        ] {
            show.stage.set(property, to: value)
        }
        for reason in 0..<5 { _ = show.sendUpstream("quality-restore", reason: "\(reason)") }
        #expect(show.becomes { show.output.last == "320x240@30/1" && show.action == "none" }, "\(show.action)")
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
        #expect(show.output.wrongFrames == 0)
    }
}
