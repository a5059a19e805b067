import Foundation
import Testing

extension EndToEndTests {
    /// The script that plays pipelines.
    @Suite struct PlayTests {
        let play = Folders.pipelines.appending(path: "play")
        let folder = Folders.fresh("play")

        @Test func interruptedRecordingIsAWholeFile() async throws {
            let endless = folder.appending(path: "endless.launch")
            try """
            # Colour bars for ever.
            # out: endless.webm
            videotestsrc is-live=true ! ntscfilter $settings ! videoconvert ! vp8enc deadline=1
              ! webmmux ! filesink location="$out"
            """.write(to: endless, atomically: true, encoding: .utf8)
            let command = try await Command.run(
                play, ["endless.launch", "out=bars.webm"], in: folder, limit: .seconds(60),
                interruptedAfter: "0:00:01")
            #expect(command.output.contains("EOS"))
            let film = try await Film(of: folder.appending(path: "bars.webm"))
            #expect(film.frames.count > 20)
        }

        @Test func settingsReachTheFilter() async throws {
            let command = try await Command.run(
                play, ["--print", "test-pattern", "snow-intensity=3", "@preset=VHS EP"])
            #expect(command.output.contains(#"snow-intensity="3" @preset="VHS EP""#))
            let grey = try await Command.run(play, ["test-pattern", "screen=fakesink", "@preset=Black-and-white set"])
            #expect(grey.succeeded, "\(grey.output)")
        }

        @Test(arguments: [
            (["test-pattern", "screen=fakesink", "no-such-setting=1"], "no-such-setting"),
            (["looks", "snow-intensity=1"], "looks.launch has no place for"),
            (["no-such-pipeline"], "There is no pipeline no-such-pipeline"),
            (["vhs-file", "in=no-such-clip.mp4"], "no-such-clip.mp4"),
            (["vhs-file", "nonsense"], "\"nonsense\" is not key=value"),
        ])
        func mistakesAreNamed(arguments: [String], answer: String) async throws {
            let command = try await Command.run(play, arguments, in: folder)
            #expect(!command.succeeded)
            #expect(command.output.contains(answer))
        }

        @Test func aMachineIsSeenToGetHotAndCoolDown() async throws {
            let seen = try await Recordings.shared.play("thermal-heat-up").command.output
            // The first step comes before the trip at 80 degrees, and the line says why.
            for words in ["serious by forecast, 20/1 fps", "critical, 854x480", "critical, 426x240", "nominal, none"] {
                #expect(seen.contains("degrees in cpu-thermal: \(words)"), "\(seen)")
            }
            #expect(!seen.contains("Got message"))
        }

        @Test func heatTakesNothingButPoints() async throws {
            let heat = Folders.pipelines.appending(path: "heat")
            let command = try await Command.run(heat, [folder.path(percentEncoded: false), "1=2", "x"], in: folder)
            #expect(!command.succeeded && command.output.contains("\"x\" is not SECOND=DEGREES"))
        }

        @Test func helpNamesEveryPipelineAndSaysWhatOneSees() async throws {
            let help = try await Command.run(play)
            for name in Recordings.names { #expect(help.output.contains(try Regex("\(name) +[A-Z]"))) }
        }
    }
}
