// Writes stills of a film to PNG files in a new folder, one for each interval:
//
//     swift run Stills film.webm 10 stills
import Foundation
import GStreamer
import GStreamerApp

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[2]), (0.001...1e6).contains(seconds) else {
    exitWith("usage: Stills FILE SECONDS FOLDER")
}
let folder = URL(filePath: arguments[3], directoryHint: .isDirectory)

do {
    let pipeline = try Pipeline(
        "uridecodebin name=film ! videoconvert ! pngenc ! appsink name=stills sync=false max-buffers=1")
    pipeline["film"]?.set("uri", toString: URL(filePath: arguments[1]).absoluteString)
    try await pipeline.set(.paused)
    // It fails if the folder exists, so that no file is replaced.
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    var (number, time) = (0, Duration.zero)
    while time < pipeline.duration ?? .seconds(seconds) {
        try await pipeline.seek(to: time)
        guard case .sample(let still)? = pipeline["stills"]?.emit("pull-preroll") else { break }
        let file = folder.appending(path: String(format: "%04d.png", number))
        try Data(still.bytes).write(to: file)
        print("\(file.path(percentEncoded: false)): \(time)")
        number += 1
        time += .seconds(seconds)
    }
    try await pipeline.set(.null)
    guard number > 0 else { exitWith("\(arguments[1]) has no picture.") }
} catch {
    exitWith("\(error)")
}

func exitWith(_ problem: String) -> Never {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(1)
}
