import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests events, queries and states of a stream.
struct StreamTests {
    @Test func theFormatMayChangeInMidStream() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let kinds: [(PixelFormat, Int, Int)] = [
            (.bgrx, 16, 12), (.rgb, 31, 7), (.argb64, 5, 90), (.bgrx, 200, 1), (.bgrx, 16, 12),
        ]
        var first: [UInt8]?
        for (format, width, height) in kinds {
            #expect(harness.offer(format.caps(width, height)))
            let input = TestPicture(width: width, height: height, isDeep: format.isDeep).bytes(format)
            let output = try #require(harness.play(input, pts: 0))
            #expect(output.count == input.count)
            #expect(output != input)
            if first == nil { first = output }
            if (format, width, height) == (.bgrx, 16, 12) { #expect(output == first) }
        }
        #expect(harness.subject.messages() == [])
    }

    @Test func acceptsAFormatAfterARefusedOne() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        #expect(!harness.offer("video/x-raw,format=v210,width=16,height=12,framerate=30/1"))
        #expect(harness.offer(PixelFormat.bgrx.caps(8, 8)))
        #expect(harness.play(TestPicture(width: 8, height: 8).bytes(.bgrx)) != nil)
    }

    @Test func playsOnAfterAFlush() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = TestPicture(width: 16, height: 12).bytes(.bgrx)
        let before = try #require(harness.play(input, pts: 7 * second))
        #expect(harness.push(event: gst_event_new_flush_start()))
        #expect(harness.push(newBuffer(input)) == GST_FLOW_FLUSHING)
        #expect(harness.push(event: gst_event_new_flush_stop(1)))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = 7 * 1_000_000_000
        segment.time = segment.start
        #expect(harness.push(event: gst_event_new_segment(&segment)))
        #expect(harness.play(input, pts: 7 * second) == before)
    }

    @Test func passesGapEvents() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = TestPicture(width: 16, height: 12).bytes(.bgrx)
        #expect(harness.play(input, pts: 0) != nil)
        while harness.pullEvent()?.kind != nil {}
        #expect(harness.push(event: gst_event_new_gap(GstClockTime(second), GstClockTime(second))))
        #expect(harness.pullEvent()?.kind == .gap)
    }

    /// Sinks display a buffer with the flag GAP, so the filter must play it.
    @Test func framesMarkedAsGapsArePlayedToo() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = TestPicture(width: 16, height: 12).bytes(.bgrx)
        let frame = try #require(harness.play(input, pts: second))
        #expect(harness.play(input, pts: second, flags: GST_BUFFER_FLAG_GAP.rawValue) == frame)
        #expect(frame != input)
    }

    /// Another branch may hold the same frame, as behind a tee.
    @Test func doesNotChangeASharedFrame() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = TestPicture(width: 16, height: 12).bytes(.bgrx)
        let held = newBuffer(input, pts: 0)
        gst_buffer_ref(held)
        #expect(harness.push(held) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        #expect(held.bytes == input)
        #expect(output.bytes != input)
        #expect(output.pointee.pts == 0)
        gst_buffer_unref(output)
        gst_buffer_unref(held)
    }

    @Test func aWritableFrameIsNotCopied() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = newBuffer(TestPicture(width: 16, height: 12).bytes(.bgrx))
        #expect(harness.push(input) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        #expect(output == input)
        gst_buffer_unref(output)
    }

    @Test(arguments: ["true", "false"], [true, false])
    func keepsTheMetasOfUpstream(enabled: String, isHeld: Bool) throws {
        let harness = makeHarness(["enabled": enabled], caps: PixelFormat.bgrx.caps(16, 12))
        let input = newBuffer(TestPicture(width: 16, height: 12).bytes(.bgrx), pts: 5)
        input.pointee.duration = 33
        gst_buffer_add_video_region_of_interest_meta(input, "face", 1, 2, 3, 4)
        gst_buffer_add_meta(input, gst_video_crop_meta_get_info(), nil)
        let caps = gst_caps_from_string("timestamp/x-test")
        gst_buffer_add_reference_timestamp_meta(input, caps, 42, 1)
        gst_caps_unref(caps)
        gst_buffer_add_video_time_code_meta_full(input, 30, 1, nil, GST_VIDEO_TIME_CODE_FLAGS_NONE, 1, 2, 3, 4, 0)
        if isHeld { gst_buffer_ref(input) }
        defer { if isHeld { gst_buffer_unref(input) } }
        #expect(harness.push(input) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        #expect(output.pointee.pts == 5)
        #expect(output.pointee.duration == 33)
        #expect(gst_buffer_get_video_region_of_interest_meta_id(output, 0)?.pointee.h == 4)
        #expect(gst_buffer_get_reference_timestamp_meta(output, nil)?.pointee.timestamp == 42)
        #expect(gst_buffer_get_n_meta(output, gst_video_crop_meta_api_get_type()) == 1)
        #expect(gst_buffer_get_n_meta(output, gst_video_time_code_meta_api_get_type()) == 1)
    }

    @Test func passesTheSameBufferWhileDisabledAndCanBeSwitchedWhilePlaying() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(16, 12))
        let input = TestPicture(width: 16, height: 12).bytes(.bgrx)
        for isOn in [true, false, false, true, false, true] {
            harness.subject["enabled"] = isOn ? "true" : "false"
            let buffer = newBuffer(input, pts: 0)
            gst_buffer_ref(buffer)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            let output = try #require(harness.pullRaw())
            #expect((output == buffer) != isOn)
            #expect((output.bytes == input) != isOn)
            gst_buffer_unref(output)
            gst_buffer_unref(buffer)
        }
    }
}
