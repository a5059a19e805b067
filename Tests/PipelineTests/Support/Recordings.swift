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

    static var names: [String] {
        let files = try? FileManager.default.contentsOfDirectory(at: Folders.pipelines, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "launch" }
            .map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// Plays the pipeline `name` with a test pattern instead of the camera, a server of its own, and without a display and
    /// a sound card.
    ///
    /// The working directory is not the package folder, to test relative paths.
    func play(_ name: String) async throws -> Recording {
        if let recording = played[name] { return recording }
        let text = try String(contentsOf: Folders.pipelines.appending(path: "\(name).launch"), encoding: .utf8)
        let fileName = text.firstMatch(of: /(?m)^# out: (.+)$/).map { String($0.1) }
        let music = try text.contains("$server") ? MusicServer(seconds: 2) : nil
        let settings = ["screen=fakesink", "camera=videotestsrc num-buffers=30", "speaker=fakesink sync=true"]
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
