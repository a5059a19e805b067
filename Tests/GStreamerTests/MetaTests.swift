import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct MetaTests {
    @Test(arguments: [false, true])
    func metasArePreservedWithAndWithoutCopy(isHeldElsewhere: Bool) throws {
        let harness = makeHarness()
        let input = harness.frame()
        gst_buffer_add_video_region_of_interest_meta(input, "face", 1, 0, 2, 1)
        let caps = gst_caps_from_string("timestamp/x-test")
        gst_buffer_add_reference_timestamp_meta(input, caps, 42, 1)
        gst_caps_unref(caps)
        gst_buffer_add_video_meta(input, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRx, 4, 2)
        if isHeldElsewhere { gst_buffer_ref(input) }
        harness.push(input)
        let output = try #require(harness.pullRaw())
        #expect((output != input) == isHeldElsewhere)
        #expect(gst_buffer_get_video_region_of_interest_meta_id(output, 0)?.pointee.x == 1)
        #expect(gst_buffer_get_reference_timestamp_meta(output, nil)?.pointee.timestamp == 42)
        #expect(gst_buffer_get_n_meta(output, gst_video_meta_api_get_type()) == 1)
        gst_buffer_unref(output)
        if isHeldElsewhere { gst_buffer_unref(input) }
    }

    /// The first buffer has the pre-skip of Opus at 48 kHz.
    @Test(.enabled(if: Setup.has("opusenc")))
    func clippedSamplesAreThoseOfTheClippingMeta() throws {
        let harness = try #require(
            Harness(
                line: "audioconvert ! opusenc",
                caps: "audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=1"))
        let silence = newBuffer([UInt8](repeating: 0, count: 96_000), pts: 0)
        harness.push(silence)
        let buffers = [harness.pull(), harness.pull()].map { $0?.buffer?.clippedSamples }
        #expect(buffers == [312, 0])
        // A meta in another format has times.
        let timed = newBuffer([0])
        let meta = try #require(gst_buffer_add_meta(timed, gst_meta_get_info("GstAudioClippingMeta"), nil))
        meta.withMemoryRebound(to: GstAudioClippingMeta.self, capacity: 1) {
            $0.pointee.format = GST_FORMAT_TIME
            $0.pointee.start = 9
        }
        #expect(GStreamer.Buffer(unsafeTaking: timed).clippedSamples == 0)
    }
}
