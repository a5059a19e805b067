import CGStreamer
import MachineSupport
import StageSupport
import Testing

/// Each heats a machine up and lets it cool down while a pipeline plays.
@Suite(.serialized) struct LadderTests {
    static let fixed = "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1"
    static let open =
        "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1;video/x-raw,format=I420"

    private func heatAndCool(_ show: Show, least: String) -> [String] {
        show.play()
        #expect(show.becomes { show.output.frames > 5 })
        #expect(show.action == "none")
        show.machine.heat(to: 85)
        #expect(show.becomes { show.level == "serious" && show.action.hasPrefix("20/1 fps") }, "\(show.action)")
        show.machine.heat(to: 92)
        #expect(show.becomes { show.action.hasPrefix(least) }, "\(show.action)")
        let frames = show.output.frames
        #expect(show.becomes { show.output.frames > frames + 3 })
        show.machine.heat(to: 50)
        #expect(show.becomes { show.action == "none" }, "\(show.action)")
        let again = show.output.frames
        #expect(show.becomes { show.output.frames > again + 10 })
        return show.stage.listen(seconds: 0.1)
    }

    @Test(arguments: [
        "fakesink", "queue ! fakesink", "videoconvert ! x264enc tune=zerolatency ! h264parse ! avdec_h264 ! fakesink",
        "vp8enc deadline=1 ! vp8dec ! fakesink", "openh264enc ! h264parse ! avdec_h264 ! fakesink",
        "x264enc tune=zerolatency ! mpegtsmux ! fakesink", "jpegenc ! jpegdec ! fakesink",
    ])
    func everythingComesBack(tail: String) {
        guard installed(tail) else { return }
        for source in [Self.fixed, Self.open] {
            let show = Show(source, "", tail)
            let heard = heatAndCool(show, least: "80x60, 5/1 fps")
            #expect(!heard.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") }, "\(heard)")
            #expect(show.output.caps.first == "320x240@30/1" && show.output.last == "320x240@30/1")
            #expect(show.output.caps.contains("80x60@5/1"))
            #expect(show.output.wrongFrames == 0 && show.input.wrongFrames == 0)
            // The one does it itself, for the other it is done.
            #expect(show.input.caps.contains("80x60@5/1") == (source == Self.open))
            if source == Self.fixed { #expect(show.input.caps == ["320x240@30/1"]) }
            #expect(Int(show.stage.get("changes")) ?? 0 >= 8)
            // Eight steps down and eight up, and nothing told on the way that was not to stay.
            if tail == "fakesink" { #expect(show.stage.get("changes") == "16", "\(heard)") }
            #expect(heard.filter { $0.contains("thermal-level-changed") }.count >= 8)
        }
    }

    /// The bitrate: what the user set, 70 % of it, and what is left when there are fewer pixels; no less than 30 kbit/s.
    @Test(arguments: [
        ("x264enc tune=zerolatency bitrate=777 name=e", "matroskamux ! fakesink", "bitrate", "777", "543", "202"),
        (
            "vp8enc deadline=1 target-bitrate=300000 name=e", "webmmux ! fakesink", "target-bitrate", "300000",
            "210000", "78000"
        ),
        ("x264enc tune=zerolatency bitrate=777 name=e", "flvmux ! fakesink", "bitrate", "777", "543", "202"),
        ("x264enc tune=zerolatency bitrate=777 name=e", "qtmux ! fakesink", "bitrate", "777", "543", "202"),
        ("x265enc speed-preset=ultrafast bitrate=777 name=e", "fakesink", "bitrate", "777", "543", "71"),
        ("openh264enc bitrate=300000 name=e", "fakesink", "bitrate", "300000", "210000", "30000"),
        (
            "av1enc target-bitrate=300 max-quantizer=63 cpu-used=8 usage-profile=realtime name=e", "fakesink",
            "target-bitrate", "300", "210", "30"
        ),
    ])
    func theEncoderGetsBackWhatItHad(
        encoder: String, rest: String, property: String, full: String, less: String, least: String
    ) {
        guard installed("\(encoder) ! \(rest)") else { return }
        let isMuxed = rest.contains("mux")
        let show = Show(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=160,height=120,framerate=30/1", "",
            "\(encoder) ! \(rest)")
        show.play()
        #expect(show.becomes { show.output.frames > 2 })
        show.machine.heat(to: 85)
        #expect(show.becomes { show.action == "20/1 fps, bitrate 70%" })
        #expect(show.becomes { show.stage.get(property, of: "e") == less })
        show.machine.heat(to: 92)
        #expect(show.becomes { show.action.contains("5/1 fps") })
        #expect(show.becomes { show.stage.get(property, of: "e") == least }, "\(show.stage.get(property, of: "e"))")
        show.machine.heat(to: 50)
        #expect(show.becomes { show.action == "none" && show.stage.get(property, of: "e") == full })
        let heard = show.stage.listen(seconds: 0.1)
        #expect(!heard.contains { $0.hasPrefix("error") }, "\(heard)")
        if isMuxed { #expect(show.output.caps == ["160x120@30/1"]) } else { #expect(show.output.caps.count > 4) }
        #expect(show.output.wrongFrames == 0)
    }

    /// A film that plays to its end while the machine gets hot: what was written can be read.
    @Test func aFileWrittenMeanwhileIsWhole() {
        guard installed("x264enc ! matroskamux ! matroskademux ! avdec_h264") else { return }
        let machine = FakeMachine()
        let file = machine.root + "/film.mkv"
        let show = Show(
            "videotestsrc num-buffers=60 is-live=true ! video/x-raw,width=320,height=240,framerate=30/1", "",
            "x264enc speed-preset=ultrafast ! matroskamux ! filesink location=\(file)", machine: machine)
        show.play()
        #expect(show.becomes { show.output.frames > 10 })
        machine.heat(to: 92)
        #expect(show.stage.listen(seconds: 20).last == "eos")
        show.stage.go(GST_STATE_NULL)
        let frames = show.output.frames
        #expect(frames < 55)
        let reader = Stage(
            "filesrc location=\(file) ! matroskademux ! h264parse ! avdec_h264 ! fakesink name=p"
        )
        #expect(reader.play() == ["eos"])
        #expect(reader.get("stats", of: "p").contains("rendered=(guint64)\(frames)"), "\(reader.get("stats", of: "p"))")
    }

    @Test func withoutSensorsNothingHappensAndThatIsSaidOnce() {
        let show = Show(machine: FakeMachine(celsius: nil))
        show.play()
        let heard = show.stage.listen(seconds: 0.7)
        #expect(heard.filter { $0.hasPrefix("info") }.count == 1, "\(heard)")
        #expect(heard.count == 1)
        #expect(show.level == "unknown" && show.action == "none" && show.stage.get("temperature").contains("an"))
        #expect(show.output.caps == ["320x240@30/1"])
    }

    @Test(arguments: ["", "garbage", "0", "-274000", "999999", "99999999999999999999999", "-1", "\u{1}\u{2}"])
    func garbageHoldsTheStep(text: String) {
        let show = Show()
        show.play()
        show.machine.heat(to: 85)
        #expect(show.becomes { show.action == "20/1 fps" })
        show.machine.write("temp", text)
        // -1 is a cold day, and no garbage.
        if text == "-1" {
            #expect(show.becomes { show.action == "none" })
        } else {
            #expect(show.becomes { show.level == "unknown" })
            _ = show.stage.listen(seconds: 0.3)
            #expect(show.action == "20/1 fps")
        }
        show.machine.remove()
        #expect(show.becomes { show.level == "unknown" })
        show.machine.write("trip_point_0_type", "passive")
        show.machine.write("trip_point_0_temp", "80000")
        show.machine.heat(to: 50)
        #expect(show.becomes { show.action == "none" && show.level == "nominal" })
    }

    @Test func oneBadZoneDoesNotHideTheOthers() {
        let show = Show()
        for number in 1...20 {
            show.machine.write(path: "class/thermal/thermal_zone\(number)/temp", number % 2 == 0 ? "x" : "999999")
        }
        show.machine.write(path: "class/thermal/thermal_zone21/mode", "disabled")
        show.machine.write(path: "class/thermal/thermal_zone21/temp", "99000")
        show.machine.write(path: "class/thermal/thermal_zone21/trip_point_0_type", "passive")
        show.machine.write(path: "class/thermal/thermal_zone21/trip_point_0_temp", "80000")
        show.machine.heat(to: 85)
        show.play()
        #expect(show.becomes { show.level == "serious" })
        #expect(show.stage.get("temperature") == "85")
    }

    @Test func theEndIsAnErrorThatSaysWhy() {
        let show = Show()
        show.play()
        #expect(show.becomes { show.level == "nominal" })
        show.machine.heat(to: 99)
        let heard = show.stage.listen(seconds: 10)
        #expect(
            heard.last?.contains("switch itself off") == true && heard.last?.contains("cpu-thermal") == true, "\(heard)"
        )
        // It can begin again when it has cooled down.
        show.stage.go(GST_STATE_NULL)
        show.machine.heat(to: 50)
        show.play()
        let frames = show.output.frames
        #expect(show.becomes { show.output.frames > frames + 5 })
    }

    /// The user's own setting is no fault of a sensor.
    @Test func anEndThatIsForcedNamesNoSensor() {
        let show = Show()
        show.play()
        #expect(show.becomes { show.level == "nominal" })
        show.stage.set("forced-level", to: "shutdown")
        let heard = show.stage.listen(seconds: 10)
        #expect(heard.last?.hasPrefix("error: forced-level=shutdown ends the stream") == true, "\(heard)")
        let told = heard.last { $0.contains("level=(string)shutdown") } ?? ""
        #expect(told.contains("cause=(string)forced"), "\(heard)")
        #expect(!heard.contains { $0.contains("cpu-thermal") || $0.contains("temperature=") }, "\(heard)")
    }

    /// Looked at once an hour, they would take all day.
    @Test func stepsDoNotWaitForThePoll() {
        let show = Show(Self.fixed, "poll-interval=3600000000000 forced-level=critical")
        show.play()
        #expect(show.becomes { show.action == "80x60, 5/1 fps" }, "\(show.action)")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" }, "\(show.action)")
    }

    @Test func neverStopGoesToTheLeastAtOnce() {
        let show = Show(Self.fixed, "never-stop=true down-dwell=0")
        show.play()
        #expect(show.becomes { show.level == "nominal" })
        show.machine.heat(to: 99)
        #expect(show.becomes { show.action == "80x60, 5/1 fps" })
        #expect(!show.stage.listen(seconds: 0.2).contains { $0.hasPrefix("error") })
    }
}

/// Whether all elements of a line are.
func installed(_ line: String) -> Bool {
    line.split(separator: "!").compactMap { $0.split(separator: " ").first.map(String.init) }
        .allSatisfy { Stages.has($0) }
}
