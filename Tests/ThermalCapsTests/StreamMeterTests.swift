import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer
@testable import ThermalCaps

@Suite struct StreamMeterTests {
    @Test func countsBuffersBytesAndTheLengthOfTheStream() throws {
        let neighbour = try #require(Harness("identity", caps: "video/x-raw"))
        let meter = try #require(StreamMeter(neighbour.element, pad: "src"))
        // Two buffers are reordered, and one has no timestamp.
        for time: UInt64? in [1000, 1040, 1120, 1080, nil, 1160] { push(milliseconds: time, to: neighbour) }
        #expect(meter.time == .milliseconds(160) && meter.frames == 6 && meter.bytes == 600)
        // The times contain a pause, a seek back and a seek forward.
        for time: UInt64 in [60_000, 60_040, 0, 40, 90_000] { push(milliseconds: time, to: neighbour) }
        #expect(meter.time == .milliseconds(240) && meter.frames == 11)
        #expect(StreamMeter(neighbour.element, pad: "nothing") == nil)
    }

    private func push(milliseconds: UInt64?, to harness: Harness) {
        let bytes = [UInt8](repeating: 0, count: 100)
        #expect(harness.play(bytes, pts: milliseconds.map { $0 * 1_000_000 }) == bytes)
    }
}
