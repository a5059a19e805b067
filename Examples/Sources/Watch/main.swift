// Plays a launch line until perfmonitor raises an alert, then ends the stream, so that a recording is complete:
//
//     swift run Watch 'pipeline: rate=30' 'videotestsrc is-live=true ! x264enc ! matroskamux ! filesink location=a.mkv'
import Foundation
import GStreamer
import GStreamerApp

guard CommandLine.arguments.count == 3 else { exitWith("usage: Watch TARGETS LAUNCH-LINE") }

do {
    let pipeline = try Pipeline("perfmonitor name=watch \(CommandLine.arguments[2])")
    guard pipeline["watch"]?.set("targets", toString: CommandLine.arguments[1]) == true else {
        exitWith("perfmonitor has no targets.")
    }
    let messages = pipeline.messages()
    let watching = Task {
        for await message in messages {
            guard case .element(let alert) = message.contents, alert.name == "performance-alert" else { continue }
            let fields = ["change", "element", "metric", "value", "target"]
            print(fields.compactMap { name in alert[name].map { "\($0)" } }.joined(separator: " "))
            if alert["change"] == .string("raised") { await pipeline.sendEndOfStream() }
        }
    }
    defer { watching.cancel() }
    try await pipeline.set(.playing)
    try await pipeline.endOfStream()
    try await pipeline.set(.null)
} catch {
    exitWith("\(error)")
}

func exitWith(_ problem: String) -> Never {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(1)
}
