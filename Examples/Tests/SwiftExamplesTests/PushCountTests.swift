import Foundation
import Testing

// GStreamer creates tracers while it starts, so each test starts gst-launch-1.0 with the built plugin.

@Suite struct PushCountTests {
    /// The lines of the log that contain `text`, of a pipeline with the tracer.
    private func log(of pipeline: String, with text: String) throws -> [String] {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "plugin-\(UUID())")
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: folder) }
        // GStreamer would search all subfolders of the folder of the build.
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let library = "libgstswiftexamples.so"
        try files.copyItem(at: built.appending(path: library), to: folder.appending(path: library))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gst-launch-1.0", "-q"] + pipeline.split(separator: " ").map(String.init)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "GST_PLUGIN_PATH": folder.path(percentEncoded: false), "GST_TRACERS": "swiftpushcount",
            "GST_DEBUG": "swiftpushcount:4", "GST_DEBUG_NO_COLOR": "1",
            "GST_REGISTRY": folder.appending(path: "registry").path(percentEncoded: false),
        ]) { $1 }
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = text.lowercased()
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return lines.filter { $0.lowercased().contains(text) }
    }

    @Test func countsBuffersAndBytes() throws {
        let lines = try log(
            of: "fakesrc num-buffers=7 sizetype=fixed sizemax=10 name=source ! fakesink", with: "source:src")
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("source:src: 7 buffers, 70 bytes") }, "\(lines)")
    }

    @Test func countsEachPad() throws {
        let lines = try log(
            of: "fakesrc num-buffers=5 ! tee name=t t. ! queue ! fakesink t. ! queue ! fakesink", with: ": 5 buffers")
        #expect(lines.count == 5, "\(lines)")
    }

    @Test func countsNothingOfAPipelineThatDoesNotPlay() throws {
        #expect(try log(of: "fakesrc num-buffers=0 name=source ! fakesink", with: " buffers, ").isEmpty)
    }
}
