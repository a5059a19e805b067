import AnalogVideoModel
import AnalogVideoPlayer
import Foundation
import GstTestSupport
import Testing

/// Tests the selection of the build of the signal code.
///
/// Each test starts a process, because environment variables apply to a whole process.
struct VariantTests {
    @Test(arguments: PlayerVariant.allCases.filter(\.isSupported))
    func theEnvironmentForcesABuild(build: PlayerVariant) throws {
        #expect(try variant(["SWIFTVIDEO_PROCESSOR": build.rawValue]) == build.rawValue)
    }

    @Test(arguments: [[:], ["SWIFTVIDEO_PROCESSOR": "something else"]])
    func usesTheFastestBuildByDefault(environment: [String: String]) throws {
        #expect(try variant(environment) == Self.fastest.rawValue)
    }

    /// The process configures two elements; the number 5 is `GST_LIBRARY_ERROR_SETTINGS`.
    @Test(arguments: ["something else", "AVX2", "avx1024"])
    func aBuildThatDoesNotExistIsWarnedOfOnce(request: String) throws {
        let lines = try log(["SWIFTVIDEO_PROCESSOR": request], of: "ntscfilter ! ntscfilter")
        #expect(lines.count { $0.contains("16x16") } == 2)
        let warnings = lines.filter { $0.contains(" WARN ") && $0.contains("SWIFTVIDEO_PROCESSOR=\(request) ") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("; \(Self.fastest) is used.") == true)
        let messages = lines.filter { $0.hasPrefix("warning gst-library-error-quark 5: ") }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("SWIFTVIDEO_PROCESSOR=\(request) names no build") == true)
    }

    @Test(arguments: [nil, "", "baseline"] as [String?])
    func aBuildThatExistsIsNotWarnedOf(request: String?) throws {
        let lines = try log(request.map { ["SWIFTVIDEO_PROCESSOR": $0] } ?? [:])
        #expect(lines.count { $0.contains("16x16") } == 1)
        #expect(!lines.contains { $0.contains("SWIFTVIDEO_PROCESSOR") || $0.hasPrefix("warning ") })
    }

    /// The last build that the processor supports, without AVX-512 if the processor reduces its clock for AVX-512.
    private static var fastest: PlayerVariant {
        let flags = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let hasFastAVX512 = flags.contains("avx512_vbmi2")
        return PlayerVariant.allCases.last { $0.isSupported && ($0 != .avx512 || hasFastAVX512) } ?? .baseline
    }

    /// The processor variant that the element reports.
    private func variant(_ more: [String: String]) throws -> String? {
        try log(more).first { $0.contains("16x16") }?.split(separator: " ").last.map(String.init)
    }

    /// The log of the elements of a launch line, and the warnings on their bus.
    private func log(_ more: [String: String], of elements: String = "ntscfilter") throws -> [Substring] {
        let probe = Process()
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Probe")
        probe.arguments = ["element", elements, PixelFormat.bgrx.caps(16, 16)]
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFTVIDEO_PROCESSOR"] = nil
        environment["GST_DEBUG"] = "ntscfilter:INFO"
        environment["GST_DEBUG_NO_COLOR"] = "1"
        probe.environment = environment.merging(more) { $1 }
        let output = Pipe()
        probe.standardError = output
        probe.standardOutput = output
        try probe.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        probe.waitUntilExit()
        try #require(probe.terminationStatus == 0, "\(text)")
        return text.split(separator: "\n")
    }
}
