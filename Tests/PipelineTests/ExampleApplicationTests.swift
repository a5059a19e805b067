import Foundation
import TestSupport
import Testing

extension ExampleTests {
    @Suite struct Applications {
        @Test func stillsAreThoseOfTheirTimes() async throws {
            let folder = Folders.fresh("stills")
            let film = try await ExamplePackage.film(in: folder)
            let stills = try await ExamplePackage.run("Stills", [film, "0.5", "stills"], in: folder)
            #expect(stills.succeeded, "\(stills.output)")
            let files = try FileManager.default.contentsOfDirectory(
                at: folder.appending(path: "stills"), includingPropertiesForKeys: nil)
            #expect(files.count == 6)
            #expect(try files.allSatisfy { try Data(contentsOf: $0).starts(with: [0x89, 0x50, 0x4E, 0x47]) })
            let again = try await ExamplePackage.run("Stills", [film, "0.5", "stills"], in: folder)
            #expect(!again.succeeded && again.output.contains("already exists"))
        }

        @Test func playerPrintsTitleAndProgress() async throws {
            let player = try await ExamplePackage.run("Player", [ExamplePackage.film(in: Folders.fresh("player"))])
            #expect(player.succeeded && player.output.contains("Tape"), "\(player.output)")
            #expect(
                player.output.hasSuffix("[\(String(repeating: "=", count: 40))] 0:03 of 0:03\n"), "\(player.output)")
            let missing = try await ExamplePackage.run("Player", ["/no-such-file"])
            #expect(!missing.succeeded && missing.output.contains("Resource not found"))
        }

        /// The duration of a recording in seconds, which `matroskamux` writes at the end of the stream; nil without one.
        private func duration(of film: URL) async throws -> Double? {
            let found = try await Command.run(
                named: "ffprobe",
                ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", film.path(percentEncoded: false)])
            return Double(found.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }

        @Test func recordingEndsAtAnAlert() async throws {
            let folder = Folders.fresh("watch")
            let watch = try await ExamplePackage.run(
                "Watch", ["slow: rate=25", "videotestsrc is-live=true ! identity name=slow sleep-time=60000", "a.mkv"],
                in: folder)
            #expect(watch.succeeded && watch.output.contains("raised slow rate"), "\(watch.output)")
            #expect(try await duration(of: folder.appending(path: "a.mkv")) ?? 0 > 1)
        }

        @Test(arguments: ["SIGINT", "SIGTERM"])
        func recordingIsCompleteAfterASignal(signal: String) async throws {
            let folder = Folders.fresh("interrupt")
            let script = """
                import signal, subprocess, sys
                watch = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
                print(watch.stdout.readline().decode(), end="")
                watch.send_signal(signal.\(signal))
                sys.exit(watch.wait())
                """
            let watch = try await Command.run(
                URL(filePath: "/usr/bin/python3"),
                [
                    "-c", script, ExamplePackage.file("scratch/release/Watch").path(percentEncoded: false),
                    "pipeline: rate=1", "videotestsrc is-live=true", "a.mkv",
                ], in: folder,
                environment: ExamplePackage.environment(["GST_PLUGIN_FEATURE_RANK": "dfbvideosink:NONE"]))
            #expect(watch.succeeded && watch.output.contains(" records; Ctrl-C ends it.\n"), "\(watch.output)")
            #expect(try await duration(of: folder.appending(path: "a.mkv")) ?? 0 > 0)
        }
    }
}
