// Records a source with a preview until Ctrl-C, or until perfmonitor raises an alert; the file is complete in both cases:
//
//     swift run Watch 'pipeline: rate=25' 'v4l2src' camera.mkv
import Foundation
import GStreamer
import GStreamerApp

guard CommandLine.arguments.count == 4 else { exitWith("usage: Watch TARGETS SOURCE FILE") }
let (targets, source, file) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

/// Bits per second of the recording.
let bitrate = 4_000_000.0
/// Encoders with low delay, the properties of their bitrates, and the units of these in bits per second.
let encoders = [
    ("x264enc", "tune=zerolatency speed-preset=veryfast", "bitrate", 1000.0),
    ("openh264enc", "", "bitrate", 1), ("vp8enc", "deadline=1", "target-bitrate", 1),
]

do {
    initialize()
    guard let (encoder, options, property, unit) = encoders.first(where: { ElementReference(factory: $0.0) != nil })
    else { exitWith("GStreamer has none of the encoders \(encoders.map(\.0).joined(separator: ", ")).") }
    let pipeline = try Pipeline(
        "perfmonitor name=watch \(source) ! tee name=split ! queue ! videoconvert ! \(encoder) name=encoder \(options) "
            + "! matroskamux ! filesink name=file split. ! queue leaky=downstream ! videoconvert ! autovideosink")
    guard pipeline["watch"]?.set("targets", toString: targets) == true else { exitWith("perfmonitor has no targets.") }
    pipeline["encoder"]?.set(property, to: bitrate / unit)
    pipeline["file"]?.set("location", toString: file)
    let messages = pipeline.messages()
    let watching = Task {
        for await message in messages {
            guard case .element(let alert) = message.contents, alert.name == "performance-alert" else { continue }
            let fields = ["change", "element", "metric", "value", "target"]
            show(fields.compactMap { name in alert[name].map { "\($0)" } }.joined(separator: " "))
            if alert["change"] == .string("raised") { await pipeline.sendEndOfStream() }
        }
    }
    defer { watching.cancel() }
    // Ctrl-C before the start of the source ends the program with an error.
    async let end: Void = pipeline.endOfStream(sentAtInterrupt: true)
    try await pipeline.set(.playing)
    show("\(encoder) records; Ctrl-C ends it.")
    try await end
    try await pipeline.set(.null)
} catch {
    exitWith("\(error)")
}

/// Writes at once; `print` keeps lines for a pipe.
func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func exitWith(_ problem: String) -> Never {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(1)
}
