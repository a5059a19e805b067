// Plays a film or a song, with its title and a progress bar on the terminal:
//
//     swift run Player film.webm
import Foundation
import GStreamer
import GStreamerApp

guard CommandLine.arguments.count == 2 else { exitWith("usage: Player FILE") }
let file = URL(filePath: CommandLine.arguments[1]).absoluteString

do {
    let pipeline = try Pipeline("playbin name=player")
    pipeline["player"]?.set("uri", toString: file)
    let messages = pipeline.messages()
    let titles = Task {
        var shown = ""
        for await message in messages {
            guard case .tags(let tags) = message.contents, case .string(let title)? = tags[.title], title != shown
            else { continue }
            show("\r\(title)\u{1B}[K\n")
            shown = title
        }
    }
    try await pipeline.set(.playing)
    let progress = Task {
        while !Task.isCancelled {
            showProgress(pipeline.position ?? .zero, of: pipeline.duration)
            try await Task.sleep(for: .milliseconds(200))
        }
    }
    defer {
        progress.cancel()
        titles.cancel()
    }
    try await pipeline.endOfStream()
    progress.cancel()
    _ = await progress.result
    showProgress(pipeline.duration ?? .zero, of: pipeline.duration)
    show("\n")
    try await pipeline.set(.null)
} catch {
    exitWith("\(error)")
}

func showProgress(_ position: Duration, of duration: Duration?) {
    let width = 40
    let share = duration.map { $0 > .zero ? min(1, position / $0) : 0 } ?? 0
    let filled = String(repeating: "=", count: Int(share * Double(width)))
    let times = [position, duration].map { $0?.formatted(.time(pattern: .minuteSecond)) ?? "?" }
    let bar = filled.padding(toLength: width, withPad: " ", startingAt: 0)
    show("\r[\(bar)] \(times[0]) of \(times[1])")
}

/// Writes at once; `print` keeps a line until it ends.
func show(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

func exitWith(_ problem: String) -> Never {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(1)
}
