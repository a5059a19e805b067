import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer
@testable import ThermalCaps
@testable import ThermalPolicy

/// Tests the caps that an application sets for the levels.
@Suite(.serialized) struct CustomLadderTests {
    private func objection(to ladder: String) -> String? {
        _ = Setup.once
        do throws(ElementError) { _ = try QualityLimits.ladder(ladder) } catch { return error.text }
        return nil
    }

    /// The arguments are an invalid field, and two texts that the error must contain besides the level.
    @Test(arguments: [
        ("width=-5", "width=-5", "width=480"), ("width=0", "width=0", "at least 16"),
        ("width=1", "width=1", "at least 16"),
        ("width=640.5", "width=640.5", "number of pixels"), ("height=0", "height=0", "height=480"),
        ("height=tall", "height=tall", "height=480"), ("height=99999999999", "height=99999999999", "height=480"),
        ("width={}", "width={", "width=480"), ("width={640,wide}", "width={", "width=480"),
        ("height=<240,480>", "height=<", "height=480"), ("height=[1,15]", "height=[", "at least 16"),
        ("framerate=0/1", "framerate=0/1", "framerate=15/1"), ("framerate=-15/1", "framerate=-15/1", "above 0"),
        ("framerate=15/-1", "framerate=15/-1", "above 0"), ("framerate=15", "framerate=15", "15/1"),
        ("framerate=1/0", "framerate=1/0", "15/1"), ("framerate=29.97", "framerate=29.9", "fraction"),
        ("framerate=1/2147483648", "1/2147483648", "15/1"), ("framerate=1/-2147483648", "1/-2147483648", "15/1"),
        ("framerate=(fraction)2147483648", "2147483648", "15/1"),
        ("framerate=(fraction)-2147483648", "-2147483648", "15/1"),
        ("framerate={15/1,(GstFraction)2147483648}", "2147483648", "15/1"),
        ("framerate=(fraction){15/1,-2147483648}", "-2147483648", "15/1"),
        ("framerate=<(fraction)1/-2147483648>", "1/-2147483648", "15/1"),
        ("framerate=[(fraction)1/1,(fraction)2147483648]", "2147483648", "smaller"),
        ("framerate=15/1,height=(fraction)4294967296", "4294967296", "15/1"),
        ("bitrate-share=0.0", "bitrate-share=0", "0.01 to 1"),
        ("bitrate-share=1e300", "bitrate-share=1", "bitrate-share=0.5"),
        ("bitrate-share=-1", "bitrate-share=-1", "0.01 to 1"), ("bitrate-share=nan", "bitrate-share=nan", "0.01 to 1"),
        ("bitrate-share=half", "bitrate-share=half", "0.01 to 1"), ("bitrate-share=70", "bitrate-share=70", "0.01"),
        ("frame-rate=15/1", "frame-rate=15/1", "framerate"), ("format=I420", "format=I420", "width, height, framerate"),
        ("pixel-aspect-ratio=1/1", "pixel-aspect-ratio", "width, height"), ("width=[480,16]", "[480,16]", "smaller"),
        ("width=[480,480]", "[480,480]", "smaller"), ("framerate=[30/1,15/1]", "[30/1,15/1]", "smaller"),
        ("width=[016,192,16]", "[016,192,16]", "[16,480]"), ("width=[16,480,7]", "[16,480,7]", "[16,480]"),
        ("bitrate-share=[0.1,0.5]", "[0.1,0.5]", "range"),
        ("width=[16,4x]", "[16,4x]", "range"), ("width", "video/x-raw,width", "framerate=15/1"),
    ])
    func errorNamesTheLevelTheFieldAndTheRemedy(field: String, name: String, advice: String) throws {
        for (index, level) in ["fair", "serious", "critical", "shutdown"].enumerated() {
            let ladder = String(repeating: "video/x-raw;", count: index) + "video/x-raw,\(field)"
            let error = try #require(objection(to: ladder), "\(ladder) was accepted")
            #expect(error.contains("level \(level): ") && error.contains(name) && error.contains(advice), "\(error)")
        }
    }

    @Test(arguments: [
        ("nonsense!", "fair", "framerate=15/1"), ("audio/x-raw", "fair", "framerate=15/1"),
        ("video/x-raw(memory:DMABuf)", "fair", "framerate=15/1"), ("ANY", "fair", "write video/x-raw"),
        ("EMPTY", "fair", "write video/x-raw"), ("video/x-raw;;video/x-raw", "serious", "write video/x-raw"),
        (";;", "fair", "write video/x-raw"), (" ", "fair", "write video/x-raw"),
        ("video/x-raw;ANY", "serious", "write video/x-raw"), ("video/x-raw;NONE", "serious", "write video/x-raw"),
        ("video/x-raw,[", "fair", "range"), ("/", "fair", "framerate=15/1"), ("1", "fair", "framerate=15/1"),
        ("video/x-raw;video/x-raw;video/x-raw;video/x-raw;video/x-raw", "fair, serious", "four at most"),
    ])
    func refusesInvalidLadders(ladder: String, level: String, advice: String) throws {
        let error = try #require(objection(to: ladder), "\(ladder) was accepted")
        #expect(error.contains(advice) && (error.contains("level \(level): ") || advice == "four at most"), "\(error)")
    }

    @Test(arguments: [
        ("video/x-raw", QualityLimits()), ("video/x-raw;", QualityLimits()), ("video/x-raw(ANY)", QualityLimits()),
        ("video/x-raw,width=640,height=(int)360", QualityLimits(width: 640, height: 360)),
        ("video/x-raw,width=[1,640]", QualityLimits(width: 640)),
        ("video/x-raw,width=[16,640,16]", QualityLimits(width: 640)),
        ("video/x-raw,width={320,640,[16,400]}", QualityLimits(width: 640)),
        ("video/x-raw,width=[1,max]", QualityLimits()),
        ("video/x-raw,framerate=(fraction)30000/1001", QualityLimits(rate: FrameRate(30000, 1001))),
        ("video/x-raw,framerate={(fraction)15/1,(fraction)30/1,(fraction)59/2}", QualityLimits(rate: FrameRate(30, 1))),
        ("video/x-raw,framerate=[0/1,25/1]", QualityLimits(rate: FrameRate(25, 1))),
        ("video/x-raw,framerate=[0/1,2147483647/1]", QualityLimits()),
        ("video/x-raw,bitrate-share=0.5", QualityLimits(bitrateShare: 0.5, isShareExact: true)),
        ("video/x-raw,bitrate-share=1", QualityLimits(isShareExact: true)),
        (
            "video/x-raw,bitrate-share=(double)0.69999999999999996",
            QualityLimits(bitrateShare: 0.7, isShareExact: true)
        ),
    ])
    func takesTheLargestValueAsTheLimit(caps: String, limits: QualityLimits) throws {
        _ = Setup.once
        #expect(try QualityLimits.ladder(caps) == [limits])
        #expect(try QualityLimits.ladder(" \(caps) ") == [limits])
        #expect(try QualityLimits.ladder("video/x-raw ; " + caps) == [QualityLimits(), limits])
    }

    /// Tests that each text is a ladder with valid limits, or is refused with an error that names the property.
    @Test func acceptsOrRefusesEveryText() {
        _ = Setup.once
        let words = [
            "video/x-raw", ";", ",", "width", "=", "framerate", "[", "]", "{", "}", "<", ">", "(", ")", "/", "-", "\"",
            "1", "15", "640", "99999999999", "2147483647", "2147483648", "1/", "/1", "+", "(int)", "(fraction)", "max",
            "min",
            " ", "é", "ANY", "\\", ".",
            "height", "(structure)", "(GstCaps)", "(taglist)", "(bitmask)", "(flagset)", "(string)", "(double)", "0x",
            ":",
            "a", "(datetime)", "(GstSegment)", "(buffer)", "(GValueArray)", "bitrate-share", "1e999", "nan",
        ]
        var state: UInt32 = 99
        var (acceptedCount, refusedCount) = (0, 0)
        for round in 0..<40_000 {
            var text =
                round % 10 == 0 ? "" : ["video/x-raw,width=", "video/x-raw,framerate=", "video/x-raw,"][round % 3]
            // Only short random texts can be a ladder.
            for _ in 0...(round % 8) {
                state = state &* 1_664_525 &+ 1_013_904_223
                text += words[Int(state >> 8) % words.count]
            }
            do throws(ElementError) {
                let limits = try QualityLimits.ladder(text)
                acceptedCount += 1
                #expect(limits.allSatisfy { ($0.width ?? 16) >= 16 && ($0.height ?? 16) >= 16 }, "\(text)")
            } catch {
                refusedCount += 1
                #expect(error.text.contains("custom-ladder"), "\(text): \(error.text)")
            }
        }
        #expect(acceptedCount > 100 && refusedCount > 30_000, "\(acceptedCount), \(refusedCount)")
    }

    // MARK: In a pipeline

    @Test(arguments: [
        ("320,height=240", "width=160", "160x120@30/1"), ("320,height=240", "height=120", "160x120@30/1"),
        ("320,height=240", "width=400", "320x240@30/1"), ("240,height=320", "width=160", "160x214@30/1"),
        ("240,height=320", "height=160", "120x160@30/1"), ("240,height=320", "width=160,height=120", "90x120@30/1"),
        ("352,height=288,pixel-aspect-ratio=12/11", "height=144", "176x144@30/1"),
        ("320,height=240,interlace-mode=interleaved", "height=122", "162x120@30/1"),
    ])
    func limitsColumnsAndRowsInAnyOrientation(picture: String, side: String, caps: String) {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,framerate=30/1,width=\(picture)",
            "custom-ladder=\"video/x-raw,\(side)\" forced-level=serious")
        rig.play()
        #expect(eventually { rig.output.frames > 10 && rig.output.last == caps }, "\(rig.output.caps)")
        #expect(rig.output.wrongFrames == 0)
    }

    @Test func followsTheUsersLadderByLevel() {
        let ladder =
            "custom-ladder=\"video/x-raw,framerate=25/1; video/x-raw,framerate=[1/1,15/1]; video/x-raw,width=[1,160],height=120\""
        let rig = ThermalRig(LadderTests.fixed, ladder)
        rig.play()
        for (celsius, caps) in [(75, "320x240@25/1"), (85, "320x240@15/1"), (95, "160x120@30/1"), (50, "320x240@30/1")]
        {
            rig.machine.heat(to: celsius)
            #expect(eventually { rig.output.last == caps }, "\(rig.output.caps)")
        }
    }

    @Test(arguments: ["nonsense!", "video/x-raw;video/x-raw,width=-5"])
    func failsToStartWithAnInvalidLadder(ladder: String) {
        let rig = ThermalRig()
        rig.pipeline.set("custom-ladder", to: "video/x-raw")
        rig.setText("custom-ladder", to: ladder)
        #expect(gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let heard = rig.pipeline.listen(seconds: 1)
        #expect(heard.count == 1 && heard[0].hasPrefix("error: custom-ladder, level"), "\(heard)")
    }

    /// As with every property of this plugin, the element posts a warning at once and keeps the old value.
    @Test func keepsTheLadderAndWarnsOfAnInvalidOneWhilePlaying() {
        let rig = ThermalRig(LadderTests.fixed, "custom-ladder=\"video/x-raw,height=120\" forced-level=serious")
        rig.play()
        #expect(eventually { rig.output.last == "160x120@30/1" })
        _ = rig.pipeline.listen(seconds: 0.1)
        rig.setText("custom-ladder", to: "video/x-raw;video/x-raw,frame-rate=15/1")
        let heard = rig.pipeline.listen(seconds: 1)
        #expect(heard.count == 1 && heard.first?.hasPrefix("warning: custom-ladder, level serious") == true, "\(heard)")
        #expect(rig.pipeline.get("custom-ladder").filter { $0 != "\\" }.contains("height=120"))
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 10 })
        #expect(rig.output.last == "160x120@30/1")
        rig.setText("custom-ladder", to: "video/x-raw,height=160")
        #expect(eventually { rig.output.last == "214x160@30/1" })
    }

    /// A level with fewer pixels also lowers the bitrate, unless the user sets `bitrate-share`.
    @Test(arguments: [
        ("video/x-raw,width=160", "160x120, bitrate 35%", "353"),
        ("video/x-raw,width=160,bitrate-share=0.5", "160x120, bitrate 50%", "500"),
        ("video/x-raw,width=160,bitrate-share=1.0", "160x120", "1000"),
    ])
    func lowersTheBitrateWithThePixelsUnlessTheUserWritesIt(level: String, action: String, bitrate: String) {
        guard Setup.has("x264enc") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
            "custom-ladder=\"video/x-raw;\(level)\"", "x264enc name=e tune=zerolatency bitrate=1000 ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(
            eventually { rig.action == action && rig.pipeline.get("bitrate", of: "e") == bitrate }, "\(rig.action)")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" && rig.pipeline.get("bitrate", of: "e") == "1000" })
    }

    @Test func raisesLimitsToTheMinimumAndWarnsOnce() {
        let rig = ThermalRig(
            LadderTests.fixed,
            "min-height=120 min-framerate=8 custom-ladder=\"video/x-raw;video/x-raw,height=100,framerate=2/1\"")
        rig.play()
        rig.machine.heat(to: 85)
        #expect(eventually { rig.output.last == "160x120@8/1" }, "\(rig.output.caps)")
        rig.machine.heat(to: 50)
        #expect(eventually { rig.output.last == "320x240@30/1" })
        let warnings = rig.pipeline.listen(seconds: 0.3).filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1, "\(warnings)")
        for word in ["custom-ladder", "serious", "min-height=120", "min-framerate=8"] {
            #expect(warnings.first?.contains(word) == true, "\(warnings)")
        }
    }

    /// Tests that each encoder accepts the smallest caps that an application can set.
    @Test(arguments: ["x264enc tune=zerolatency", "x265enc speed-preset=ultrafast", "openh264enc", "vp8enc deadline=1"])
    func makesCapsThatEncodersAcceptAtTheMinimum(encoder: String) {
        guard Setup.has(encoder) else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
            "min-height=16 custom-ladder=\"video/x-raw,width=16,height=16\"", "\(encoder) ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "fair")
        #expect(eventually { rig.output.last == "22x16@30/1" }, "\(rig.output.caps)")
        let frames = rig.output.frames
        #expect(eventually { rig.output.frames > frames + 20 })
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }
}
