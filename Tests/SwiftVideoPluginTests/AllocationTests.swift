import AnalogVideoModel
import Foundation
import Testing

/// What is counted is counted in a process of its own, where nothing else runs.
///
/// Not with a sanitizer, which brings a malloc itself.
@Suite(.disabled(if: dlsym(nil, "__asan_init") != nil)) struct AllocationTests {
    /// A frame that came out goes in again, so GStreamer itself asks for nothing either.
    @Test(arguments: ["1", "2"], ["default", "everything"])
    func noFrameAsksForMemory(threads: String, preset: String) throws {
        let file = GoldenFrame.folder.appending(path: "presets/\(preset).json").path
        let (few, many) = try count(threads, PixelFormat.bgrx.caps(64, 48), file)
        #expect(few == 0)
        #expect(many == 0)
    }

    @Test(arguments: [
        "video/x-raw,format=RGB,width=33,height=20,framerate=30/1,interlace-mode=interleaved",
        "video/x-raw,format=ARGB64,width=33,height=20,framerate=0/1",
    ])
    func noFormatAsksForMemory(caps: String) throws {
        let (few, many) = try count("1", caps, GoldenFrame.folder.appending(path: "presets/everything.json").path)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// How often memory is asked for during 200 and during 2,000 frames.
    private func count(_ threads: String, _ caps: String, _ preset: String) throws -> (few: Int, many: Int) {
        let probe = Process()
        // SwiftPM builds it into the folder of the tests, before them.
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "AllocationProbe")
        probe.arguments = [threads, caps, preset]
        let output = Pipe()
        probe.standardOutput = output
        try probe.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        probe.waitUntilExit()
        let numbers = text.split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(probe.terminationStatus == 0 && numbers.count == 2, "\(text)")
        return (numbers[0], numbers[1])
    }
}
