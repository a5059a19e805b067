import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct AnimationTests {
    private let second: GstClockTime = 1_000_000_000

    @Test func controlBindingSetsPropertyPerFrame() {
        let harness = makeHarness()
        harness.subject.animate("gain", from: 0, to: 1)
        let bytes = (0...4).map { harness.firstByteAfterPassing(pts: GstClockTime($0) * second / 4) }
        #expect(bytes == [0, 63, 127, 191, 255])
        #expect(harness.subject.get("gain") == "1")
    }

    /// A filter in passthrough must still synchronize `enabled` for each buffer.
    @Test func controlBindingEndsPassthrough() {
        let harness = makeHarness()
        harness.subject.animate("enabled", from: 0, to: 1)
        let bytes = (0...2).map { harness.firstByteAfterPassing(pts: GstClockTime($0) * second / 2) }
        #expect(bytes.first == 0)
        #expect(bytes.last == 63)
    }

    @Test func framesWithoutPTSDoNotChangeControlledProperties() {
        let harness = makeHarness()
        harness.subject.animate("gain", from: 0, to: 1)
        #expect(harness.firstByteAfterPassing(pts: second / 2) == 127)
        #expect(harness.firstByteAfterPassing(pts: nil) == 127)
    }

    @Test func bytesSegmentDoesNotChangeControlledProperties() {
        let harness = makeHarness()
        harness.subject.animate("gain", from: 0, to: 1)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_BYTES)
        harness.push(event: gst_event_new_segment(&segment))
        #expect(harness.firstByteAfterPassing(pts: second) == 63)
    }
}
