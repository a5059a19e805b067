import Foundation
import Testing

/// Plays each pipeline of `pipelines/` once, in a separate folder, and stores the result.
actor Recordings {
    static let shared = Recordings()

    struct Recording: Sendable {
        let command: Command
        /// The recorded file; nil if the pipeline records none.
        let file: URL?
    }

    private var played: [String: Recording] = [:]
    private var films: [URL: Film] = [:]
    private let folder = Folders.fresh("a tape")

    /// The pipelines that play only the first half of the clip, or a copy of 320x180, to save time.
    private static let others = [
        "before-after": half, "looks": half, "animated": small, "vhs-file-silent": small,
    ]
    private static let half = "matroskademux ! video/x-vp8 ! identity eos-after=67"
    private static let small =
        "decodebin expose-all-streams=false caps=video/x-raw ! videoscale ! video/x-raw,width=320,height=180 "
        + "! vp8enc deadline=1 cpu-used=8 target-bitrate=2000000"

    static var names: [String] {
        let files = try? FileManager.default.contentsOfDirectory(at: Folders.pipelines, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "launch" }
            .map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// Plays the pipeline `name` with a test pattern as camera, a fake server, and `fakesink` as display and speaker.
    ///
    /// The working directory is not the folder of the package, because the tests also test relative paths.
    func play(_ name: String) async throws -> Recording {
        if let recording = played[name] { return recording }
        let text = try String(contentsOf: Folders.pipelines.appending(path: "\(name).launch"), encoding: .utf8)
        let fileName = text.firstMatch(of: /(?m)^# out: (.+)$/).map { String($0.1) }
        let music = try text.contains("$server") ? MusicServer(seconds: 2) : nil
        var settings = ["screen=fakesink", "camera=videotestsrc num-buffers=30", "speaker=fakesink sync=true"]
        if let line = Self.others[name] {
            let clip = Folders.fresh("clip").appending(path: "clip.webm").path(percentEncoded: false)
            let media = Folders.pipelines.appending(path: "media/bigbuckbunny.webm").path(percentEncoded: false)
            let made = try await Command.run(
                named: "gst-launch-1.0",
                ["-q", "filesrc", "location=\(media)"] + "! \(line) ! webmmux ! filesink".words
                    + ["location=\(clip)"])
            try #require(made.succeeded, "\(made.output)")
            settings.append("in=\(clip)")
        }
        let command = try await Command.run(
            Folders.pipelines.appending(path: "play"),
            [name] + settings + (music.map { ["server=\($0.uri)"] } ?? []) + (fileName.map { ["out=\($0)"] } ?? []),
            in: folder)
        let recording = Recording(command: command, file: fileName.map { folder.appending(path: $0) })
        played[name] = recording
        return recording
    }

    /// The decoded recording of the pipeline `name`.
    func film(_ name: String) async throws -> Film { try await film(of: #require(try await play(name).file)) }

    /// The clip that the pipelines play.
    func clip() async throws -> Film {
        try await film(of: Folders.pipelines.appending(path: "media/bigbuckbunny.webm"))
    }

    private func film(of file: URL) async throws -> Film {
        if let film = films[file] { return film }
        let film = try await Film(of: file)
        films[file] = film
        return film
    }
}
