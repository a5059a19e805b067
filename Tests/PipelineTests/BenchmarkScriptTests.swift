import Foundation
import Testing

@Suite(.serialized) struct BenchmarkScriptTests {
    let folder = Folders.fresh("benchmarks")

    @Test func realtimeMeasuresTheBuiltPlugin() async throws {
        let command = try await Command.run(script("realtime"), ["1", "NV12", "5"], in: folder)
        let line = /: +(\d+\.\d) ms of processor time a frame, \d+ of (\d+) frames late/
        let rows = command.output.matches(of: line)
        try #require(command.succeeded && rows.count == 2, "\(command.output)")
        let times = rows.compactMap { Double($0.1) }
        #expect(times[1] > times[0] + 1, "the filter was not in the pipeline: \(command.output)")
        #expect(rows.map { $0.2 } == ["25", "5"])
    }

    /// The benchmark starts no busy loops; if other programs use the processors, it may need more than a few seconds.
    @Test func overloadPrintsFiguresWithAndWithoutVote() async throws {
        let line = /act=(none|vote) +age P50 +\d+ ms, P95 +\d+ ms, +\d+\.\d frames a second, \d+ steps/
        var outputs: [String] = []
        for seconds in ["9", "30", "120"] {
            let command = try await Command.run(script("overload"), [seconds, "1", "0"], in: folder)
            if command.succeeded, command.output.matches(of: line).map({ $0.1 }) == ["none", "vote"] { return }
            outputs.append(command.output)
        }
        #expect(Bool(false), "\(outputs)")
    }

    @Test(arguments: ["compare", "realtime"])
    func missingElementIsAnErrorWithoutFigures(name: String) async throws {
        let nowhere = folder.path(percentEncoded: false)
        let command = try await Command.run(
            script(name), in: folder,
            environment: [
                "GST_PLUGIN_SYSTEM_PATH": nowhere, "GST_REGISTRY": "\(nowhere)/registry",
                // GStreamer loads no plugin, as on a machine without the libraries that the plugin needs.
                "GST_PLUGIN_LOADING_WHITELIST": "none",
            ])
        #expect(!command.succeeded)
        #expect(command.output.contains("GStreamer has no element ntscfilter"), "\(command.output)")
        #expect(!command.output.contains(" ms"))
    }

    @Test(arguments: ["compare", "realtime"])
    func failedPipelineIsAnErrorWithoutFigures(name: String) async throws {
        let broken = folder.appending(path: "gst-launch-1.0")
        try "#!/bin/sh\necho broken; exit 1\n".write(to: broken, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: broken.path(percentEncoded: false))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let command = try await Command.run(
            script(name), in: folder, environment: ["PATH": "\(folder.path(percentEncoded: false)):\(path)"])
        #expect(!command.succeeded && command.output.contains("nothing is measured"), "\(command.output)")
        #expect(!command.output.contains(" ms"))
    }

    private func script(_ name: String) -> URL { Folders.package.appending(path: "Benchmarks/\(name)") }
}
