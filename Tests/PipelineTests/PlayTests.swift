import Foundation
import Testing

/// Tests the script `pipelines/play`.
@Suite(.serialized) struct PlayTests {
    let play = Folders.pipelines.appending(path: "play")
    let folder = Folders.fresh("play")

    @Test func interruptedRecordingIsACompleteFile() async throws {
        let endless = folder.appending(path: "endless.launch")
        try """
        # Colour bars for ever.
        # out: endless.webm
        videotestsrc is-live=true ! ntscfilter $settings ! videoconvert ! vp8enc deadline=1
          ! webmmux ! filesink location="$out"
        """.write(to: endless, atomically: true, encoding: .utf8)
        let command = try await Command.run(
            play, ["endless.launch", "out=bars.webm"], in: folder,
            interruptedAfter: "0:00:01")
        #expect(command.output.contains("EOS"))
        let film = try await Film(of: folder.appending(path: "bars.webm"))
        #expect(film.frames.count > 20)
    }

    @Test func aMessageWithoutTemperatureIsPrinted() async throws {
        let forced = folder.appending(path: "forced.launch")
        // The first message may precede the caps, so the source is live and some frames also follow the second message.
        try """
        # Always hot.
        # messages
        videotestsrc is-live=true num-buffers=60 ! thermalcaps forced-level=serious ! fakesink
        """.write(to: forced, atomically: true, encoding: .utf8)
        let command = try await Command.run(play, ["forced.launch"], in: folder)
        #expect(command.succeeded && command.output.contains("serious, 20/1 fps"), "\(command.output)")
    }

    @Test func settingsAreAppliedToTheFilter() async throws {
        let command = try await Command.run(
            play, ["--print", "test-pattern", "snow-intensity=3", "vhs-head-switching=false"])
        #expect(command.output.contains("snow-intensity=3 vhs-head-switching=false"))
        let grey = try await Command.run(play, ["test-pattern", "screen=fakesink", "@preset=Black-and-white set"])
        #expect(grey.succeeded, "\(grey.output)")
    }

    @Test(arguments: [
        (["test-pattern", "screen=fakesink", "no-such-setting=1"], "no-such-setting"),
        (["looks", "snow-intensity=1"], "looks.launch has no place for"),
        (["no-such-pipeline"], "There is no pipeline no-such-pipeline"),
        (["vhs-file", "in=no-such-clip.mp4"], "no-such-clip.mp4"),
        (["vhs-file", "nonsense"], "\"nonsense\" is not key=value"),
        (["--hlep"], "There is no option --hlep"),
        (["test-pattern", "screen=fakesink", "preset=no-such-preset"], "no-such-preset"),
        (["vhs-file", "out=tape.mp4"], "writes .webm files, not .mp4"),
        (["snapshot", "out=tape.JPG"], "writes .png files, not .jpg"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await Command.run(play, arguments, in: folder)
        #expect(!command.succeeded)
        #expect(command.output.contains(answer))
    }

    @Test(
        arguments: ["preset=Worn tape", "preset=worn-tape", "preset=WORN_TAPE", "@preset=Worn tape"],
        [true, false])
    func presetNamesIgnoreCaseAndSeparators(preset: String, isAnimated: Bool) async throws {
        let file = folder.appending(path: "tape.launch")
        try """
        # A short tape.
        \(isAnimated ? "# animate: tape snow-intensity 0=0 1=1" : "")
        videotestsrc num-buffers=3 ! ntscfilter name=tape $settings ! fakesink
        """.write(to: file, atomically: true, encoding: .utf8)
        let command = try await Command.run(play, ["tape.launch", preset], in: folder)
        #expect(command.succeeded, "\(command.output)")
        let printed = try await Command.run(play, ["--print", "tape.launch", preset], in: folder)
        #expect(printed.output.contains("@preset=worn-tape"), "\(printed.output)")
    }

    @Test(arguments: [["--help"], ["-h"], [], ["vhs-file", "--help"]])
    func helpOptionIsAcceptedInAnyPosition(arguments: [String]) async throws {
        let command = try await Command.run(play, arguments)
        #expect(command.succeeded && command.output.hasPrefix("usage: pipelines/play"), "\(command.output)")
    }

    /// Tests the check without which the muxer would wait for audio forever, and the filter for video.
    @Test(arguments: [
        ("vhs-file", "videotestsrc num-buffers=5 ! vp8enc ! webmmux", "no sound"),
        ("vhs-file", "audiotestsrc num-buffers=5 ! vorbisenc ! webmmux", "no video"),
        ("vhs-file-silent", "audiotestsrc num-buffers=5 ! vorbisenc ! webmmux", "no video"),
        ("before-after", "fakesrc num-buffers=1 sizetype=fixed filltype=zero", "no video"),
    ])
    func clipWithoutRequiredStreamPrintsOneSentence(name: String, clip: String, lack: String) async throws {
        let path = folder.appending(path: "clip.webm").path(percentEncoded: false)
        let made = try await Command.run(
            named: "gst-launch-1.0", ["-q"] + "\(clip) ! filesink".words + ["location=\(path)"])
        #expect(made.succeeded, "\(made.output)")
        let command = try await Command.run(play, [name, "in=clip.webm", "out=tape.webm"], in: folder)
        #expect(!command.succeeded && command.output.contains("GStreamer finds \(lack) in"), "\(command.output)")
        #expect(command.output.split(separator: "\n").count == 1)
        let tape = folder.appending(path: "tape.webm").path(percentEncoded: false)
        #expect(!FileManager.default.fileExists(atPath: tape))
    }

    @Test(arguments: ["", ":4999"])
    func missingDisplayPrintsOneSentence(display: String) async throws {
        let command = try await Command.run(
            play, ["test-pattern"],
            environment: [
                "DISPLAY": display, "WAYLAND_DISPLAY": "",
                "GST_PLUGIN_FEATURE_RANK": "kmssink:NONE,fbdevsink:NONE,waylandsink:NONE,gtkwaylandsink:NONE",
            ])
        #expect(!command.succeeded && command.output.contains("There is no display"), "\(command.output)")
    }

    @Test(arguments: [
        ("adaptive-pool", #"pool: \d+ -> \d+ buffers, \d+ in use"#),
        ("backpressure-slow-consumer", #"queue: \d+ frames in, \d+ out, \d+ dropped, \d+ in flight"#),
    ])
    func messagesOfTheElementsArePrinted(name: String, line: String) async throws {
        let seen = try await Recordings.shared.play(name).command.output
        #expect(seen.contains(try Regex(line)), "\(seen)")
    }

    @Test func heatTestPrintsStepsDownAndUp() async throws {
        let seen = try await Recordings.shared.play("thermal-heat-up").command.output
        // On a busy machine, one message may contain two steps, and the stream may end before the last step up.
        let steps = ["(serious|critical).*, 20/1 fps", #"critical, \d+x\d+"#, #"nominal, (none|\d+/1 fps)"#]
        let line = steps.map { "degrees in cpu-thermal: " + $0 }.joined(separator: #"[\s\S]*"#)
        #expect(seen.contains(try Regex(line)), "\(seen)")
    }

    @Test func heatAcceptsPointsOnly() async throws {
        let heat = Folders.pipelines.appending(path: "heat")
        let command = try await Command.run(heat, [folder.path(percentEncoded: false), "1=2", "x"], in: folder)
        #expect(!command.succeeded && command.output.contains("\"x\" is not SECOND=DEGREES"))
    }

    @Test func helpListsAndDescribesEveryPipeline() async throws {
        let help = try await Command.run(play)
        for name in Recordings.names { #expect(help.output.contains(try Regex("\(name) +[A-Z]"))) }
    }
}
