import Foundation
import GstTestSupport
import Testing

/// Allocations are counted in a separate process, in which nothing else runs.
///
/// The tests are disabled with a sanitizer, which replaces malloc.
@Suite(.disabled(if: dlsym(nil, "__sanitizer_set_report_path") != nil)) struct AllocationTests {
    private static let caps = "video/x-raw,format=BGRx,width=64,height=48,framerate=30/1"

    /// The buffers come from a pool, so GStreamer does not allocate either.
    @Test(arguments: ["1", "2"], ["default", "everything"])
    func framesCauseNoAllocation(threads: String, preset: String) throws {
        let (few, many) = try count("ntscfilter n-threads=\(threads)", preset, Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// GLib reuses the memory of metas, and the queue that of its tokens.
    @Test(arguments: ["max-in-flight=4", "release-scope=derived", "leaky=no max-size-buffers=4", "enabled=false"])
    func queuedFramesCauseNoAllocation(settings: String) throws {
        let (few, many) = try count("backpressurequeue \(settings)", nil, Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The sensors are read once an hour, so that their reader does not allocate meanwhile.
    @Test(arguments: ["", "enabled=false", "forced-level=serious policy=maintain-framerate"])
    func framesThroughThermalCapsCauseNoAllocation(settings: String) throws {
        let (few, many) = try count(
            "thermalcaps poll-interval=3600000000000 sensor-root=/nowhere \(settings)", nil,
            Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// Buffers come from the element's pool, or are copied into it; the pool is resized meanwhile.
    @Test(arguments: ["predictor=none", "memory=memfd", "predictor=trend", "enabled=false", "prefer=own force=true"])
    func buffersOfTheAdaptivePoolCauseNoAllocation(settings: String) throws {
        let (few, many) = try count(
            "adaptivepool window=10000000 memory-pressure=false thermal=false \(settings)", nil,
            Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The thread of the monitor reads figures once a second, so it may allocate during some of the three counts.
    @Test(arguments: ["", "enabled=false", "elements=identity"])
    func noFrameThatTheMonitorRecordsAsksForMemory(settings: String) throws {
        let counts = try (0..<3).map { _ in
            let (few, many) = try count("identity perfmonitor report=none \(settings)", nil, Self.caps)
            return few + many
        }
        #expect(counts.contains(0), "\(counts)")
    }

    @Test(arguments: [
        "video/x-raw,format=RGB,width=33,height=20,framerate=30/1,interlace-mode=interleaved",
        "video/x-raw,format=ARGB64,width=33,height=20,framerate=0/1",
        "video/x-raw,format=NV12,width=33,height=20,framerate=30/1",
        "video/x-raw,format=I420_10LE,width=33,height=20,framerate=30/1,interlace-mode=interleaved",
        "video/x-raw,format=UYVY,width=33,height=20,framerate=30/1",
    ])
    func framesOfEveryFormatCauseNoAllocation(caps: String) throws {
        let (few, many) = try count("ntscfilter n-threads=1", "everything", caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The number of allocations during 200 and during 2,000 frames.
    private func count(_ element: String, _ preset: String?, _ caps: String) throws -> (few: Int, many: Int) {
        let file = preset.map {
            " preset-file=\(Setup.package.appending(path: "Tests/Golden/presets/\($0).json").path)"
        }
        let probe = Process()
        // SwiftPM builds the program into the folder of the tests before it runs them.
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Probe")
        probe.arguments = ["element", element + (file ?? ""), caps]
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
