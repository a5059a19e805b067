import CGStreamer
import CGStreamerCheck
import GstTestSupport
import Testing

@testable import GStreamer
@testable import ThermalCaps

/// An `identity` in a harness.
final class Neighbour {
    let harness: UnsafeMutablePointer<GstHarness>
    let element: ElementReference

    init() {
        _ = Setup.once
        harness = gst_harness_new("identity")!
        element = ElementReference(harness.pointee.element)
    }

    deinit { gst_harness_teardown(harness) }

    func push(milliseconds: Int, bytes: Int = 100) {
        let buffer = gst_harness_create_buffer(harness, gsize(bytes))!
        buffer.pointee.pts = milliseconds < 0 ? .max : GstClockTime(milliseconds) * 1_000_000
        gst_harness_push(harness, buffer)
    }
}

@Suite struct StreamMeterTests {
    @Test func countsBuffersBytesAndTheLengthOfTheStream() throws {
        let neighbour = Neighbour()
        gst_harness_set_src_caps_str(neighbour.harness, "video/x-raw")
        let meter = try #require(StreamMeter(neighbour.element, pad: "src"))
        // Two buffers are reordered, and one has no timestamp.
        for time in [1000, 1040, 1120, 1080, -1, 1160] { neighbour.push(milliseconds: time) }
        #expect(meter.time == .milliseconds(160) && meter.frames == 6 && meter.bytes == 600)
        // The times contain a pause, a seek back and a seek forward.
        for time in [60_000, 60_040, 0, 40, 90_000] { neighbour.push(milliseconds: time) }
        #expect(meter.time == .milliseconds(240) && meter.frames == 11)
        #expect(StreamMeter(neighbour.element, pad: "nothing") == nil)
    }
}
