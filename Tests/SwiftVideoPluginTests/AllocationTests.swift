import Foundation
import GstTestSupport
import Testing

/// Counts allocations in a separate process, in which no other code runs.
///
/// The tests are disabled with a sanitizer, which replaces malloc.
@Suite(.disabled(if: dlsym(nil, "__sanitizer_set_report_path") != nil)) struct AllocationTests {
    private static let caps = "video/x-raw,format=BGRx,width=64,height=48,framerate=30/1"

    /// The buffers are from a pool, so GStreamer does not allocate memory for them.
    @Test(arguments: ["1", "2"], ["default", "everything"])
    func framesCauseNoAllocation(threads: String, preset: String) throws {
        let (few, many) = try count("ntscfilter n-threads=\(threads)", preset, Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The buffers follow each other, so the stream does not begin anew.
    @Test(
        arguments: ["", "track=hi-fi random-seed=3", "track=none", "generations=8 snow-intensity=1"],
        ["F32LE", "S16LE"])
    func soundCausesNoAllocation(settings: String, format: String) throws {
        let caps = "audio/x-raw,format=\(format),rate=48000,channels=2,layout=interleaved"
        let (few, many) = try count("tapeaudio \(settings)", nil, caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// At 8 kHz the timestamps of the probe jump, so that each buffer begins the stream anew.
    @Test(arguments: ["", "track=hi-fi drop-outs=linear"])
    func discontinuitiesOfSoundCauseNoAllocation(settings: String) throws {
        let (few, many) = try count(
            "tapeaudio \(settings)", nil, "audio/x-raw,format=F32LE,rate=8000,channels=2,layout=interleaved")
        #expect(few == 0)
        #expect(many == 0)
    }

    /// GLib reuses the memory of metas, and the queue reuses the memory of tokens.
    @Test(arguments: ["max-in-flight=4", "release-scope=derived", "leaky=no max-size-buffers=4", "enabled=false"])
    func queuedFramesCauseNoAllocation(settings: String) throws {
        let (few, many) = try count("backpressurequeue \(settings)", nil, Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The element reads the sensors once an hour, so that the reader allocates no memory during the test.
    @Test(arguments: ["", "enabled=false", "forced-level=serious policy=maintain-framerate"])
    func framesThroughThermalCapsCauseNoAllocation(settings: String) throws {
        let (few, many) = try count(
            "thermalcaps poll-interval=3600000000000 sensor-root=/nowhere \(settings)", nil,
            Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The buffers are from the element's pool, or are copied into this pool, whose size changes during the test.
    @Test(arguments: ["predictor=none", "memory=memfd", "predictor=trend", "enabled=false", "prefer=own force=true"])
    func buffersOfTheAdaptivePoolCauseNoAllocation(settings: String) throws {
        let (few, many) = try count(
            "adaptivepool window=10000000 memory-pressure=false thermal=false \(settings)", nil,
            Self.caps)
        #expect(few == 0)
        #expect(many == 0)
    }

    /// The monitor's thread reads figures once a second and may then allocate, so one of three counts must be 0.
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

    /// GStreamer allocates in these base classes; the bridge and the methods of the element do not.
    @Test(arguments: ["aggregate", "transform"])
    func framesOfABaseClassCauseNoAllocation(method: String) throws {
        let (calls, allocations) = try run(["bridge", method])
        #expect(calls >= 590)
        #expect(allocations == 0)
    }

    /// The number of allocations while 200 frames pass, and while 2,000 frames pass.
    private func count(_ element: String, _ preset: String?, _ caps: String) throws -> (few: Int, many: Int) {
        let file = preset.map {
            " preset-file=\(Setup.package.appending(path: "Tests/Golden/presets/\($0).json").path)"
        }
        return try run(["element", element + (file ?? ""), caps])
    }

    /// The two numbers that the program prints.
    private func run(_ arguments: [String]) throws -> (Int, Int) {
        let probe = Process()
        // SwiftPM builds the program into the folder of the tests before it runs them.
        probe.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Probe")
        probe.arguments = arguments
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
