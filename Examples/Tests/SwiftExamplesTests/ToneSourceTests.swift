import GStreamer
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct ToneSourceTests {
    private func harness(_ properties: [String: String] = [:]) throws -> Harness {
        initialize()
        gst_plugin_swiftexamples_register()
        return try #require(Harness("swifttonesrc", properties.merging(["frequency": "1000"]) { $1 }, sink: nil))
    }

    /// The samples of the next 3 buffers.
    private func levels(_ harness: Harness) throws -> [Int16] {
        let bytes = try (0..<3).flatMap { _ in try #require(harness.waitForBuffer()?.bytes) }
        return stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bytes[$0]) | (Int16(bitPattern: UInt16(bytes[$0 + 1])) << 8)
        }
    }

    @Test func beginsAgainInEachRun() throws {
        let harness = try harness(["num-buffers": "3"])
        let first = try levels(harness)
        harness.restart()
        #expect(try levels(harness) == first && first.count == 1440)
    }

    @Test func repeatsWithTheFrequency() throws {
        // 1000 Hz have 48 samples at a rate of 48 kHz.
        let levels = try levels(harness())
        #expect(levels[48...].elementsEqual(levels[..<(levels.count - 48)]))
        #expect(Set(levels).count == 48)
    }

    @Test func volumeIsTheShareOfTheFullScale() throws {
        #expect(try levels(harness(["volume": "0.5"])).min() == -16_383)
        #expect(try levels(harness(["volume": "0"])).allSatisfy { $0 == 0 })
    }
}
