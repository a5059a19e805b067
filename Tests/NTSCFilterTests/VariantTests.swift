import AnalogVideoModel
import AnalogVideoPlayer
import Foundation
import GstTestSupport
import Testing

/// The selection of the build of the signal code.
///
/// Each test starts a process, because environment variables apply to a whole process.
struct VariantTests {
    @Test func theEnvironmentForcesTheBaseline() throws {
        #expect(try variant(["SWIFTVIDEO_PROCESSOR": "baseline"]) == "baseline")
    }

    @Test(arguments: [[:], ["SWIFTVIDEO_PROCESSOR": "something else"]])
    func usesTheFastestBuildByDefault(environment: [String: String]) throws {
        let fastest: PlayerVariant = PlayerVariant.avx2.isSupported ? .avx2 : .baseline
        #expect(try variant(environment) == fastest.rawValue)
    }

    /// The processor variant that the element reports.
    private func variant(_ more: [String: String]) throws -> String? {
        let probe = Process()
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "AllocationProbe")
        probe.arguments = ["ntscfilter", PixelFormat.bgrx.caps(16, 16)]
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFTVIDEO_PROCESSOR"] = nil
        environment["GST_DEBUG"] = "ntscfilter:INFO"
        environment["GST_DEBUG_NO_COLOR"] = "1"
        probe.environment = environment.merging(more) { $1 }
        let output = Pipe()
        probe.standardError = output
        probe.standardOutput = FileHandle.nullDevice
        try probe.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        probe.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.contains("16x16") }
        return line?.split(separator: " ").last.map(String.init)
    }
}
