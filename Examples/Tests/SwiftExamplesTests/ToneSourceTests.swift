import GStreamer
import GStreamerApp
import SwiftExamples
import Testing

@Suite struct ToneSourceTests {
    /// Plays 3 buffers with a frequency of 1000 Hz twice; returns the levels of each run.
    private func levels(_ properties: String) async throws -> [[Int16]] {
        initialize()
        gst_plugin_swiftexamples_register()
        let pipeline = try Pipeline(
            "swifttonesrc num-buffers=3 frequency=1000 \(properties) ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        var runs: [[Int16]] = []
        for _ in 0..<2 {
            try await pipeline.set(.playing)
            var bytes: [UInt8] = []
            for try await sample in samples { bytes += sample.bytes }
            runs.append(
                stride(from: 0, to: bytes.count, by: 2).map {
                    Int16(bytes[$0]) | (Int16(bitPattern: UInt16(bytes[$0 + 1])) << 8)
                })
            try await pipeline.set(.null)
        }
        return runs
    }

    @Test func beginsAgainInEachRun() async throws {
        let runs = try await levels("")
        #expect(runs[0].count == 1440 && runs[0] == runs[1])
    }

    @Test func repeatsWithTheFrequency() async throws {
        // 1000 Hz have 48 samples at a rate of 48 kHz.
        let levels = try await levels("")[0]
        #expect(levels[48...].elementsEqual(levels[..<(levels.count - 48)]))
        #expect(Set(levels).count == 48)
    }

    @Test func volumeIsTheShareOfTheFullScale() async throws {
        #expect(try await levels("volume=0.5")[0].min() == -16_383)
        #expect(try await levels("volume=0")[0].allSatisfy { $0 == 0 })
    }
}
