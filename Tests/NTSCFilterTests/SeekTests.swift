import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests that the frame at a certain time does not depend on seeks in a pipeline.
struct SeekTests {
    @Test(arguments: ["30/1", "30000/1001", "12/1"])
    func framesAfterASeekEqualThoseWithoutASeek(framerate: String) throws {
        let player = try #require(Player("video/x-raw,format=BGRx,width=64,height=48,framerate=\(framerate)"))
        let played = try player.frames(20)
        #expect(Set(played.map(\.pixels)).count == 20)
        for number in [13, 4, 17, 0] {
            try player.seek(to: played[number].pts)
            let frames = try player.frames(3)
            #expect(frames.map(\.pts) == Array(played[number...].prefix(3)).map(\.pts))
            #expect(frames.map(\.pixels) == Array(played[number...].prefix(3)).map(\.pixels))
        }
    }
}

/// A pipeline `videotestsrc ! ntscfilter ! appsink`, which the test reads frame by frame.
private final class Player {
    struct Frame {
        let pts: UInt64
        let pixels: [UInt8]
    }

    private let pipeline: UnsafeMutablePointer<GstElement>
    private let sink: UnsafeMutablePointer<GstElement>

    init?(_ caps: String) {
        _ = Setup.once
        let launch = """
            videotestsrc pattern=ball animation-mode=running-time ! \(caps) ! ntscfilter \
            ! appsink name=sink sync=false max-buffers=2
            """
        guard let pipeline = gst_parse_launch(launch, nil) else { return nil }
        self.pipeline = pipeline
        let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
        sink = gst_bin_get_by_name(bin, "sink")
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
    }

    deinit {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(sink)
        gst_object_unref(pipeline)
    }

    func seek(to time: UInt64) throws {
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        try #require(gst_element_seek_simple(pipeline, GST_FORMAT_TIME, flags, gint64(time)) != 0)
    }

    func frames(_ count: Int) throws -> [Frame] {
        try (0..<count).map { _ in
            var sample: gpointer?
            // The test uses the signal of appsink, because the header of appsink belongs to another library.
            withUnsafeMutablePointer(to: &sample) { place in
                var values = [GValue(), GValue()]
                g_value_init(&values[0], cgst_type_of_instance(sink))
                g_value_set_object(&values[0], sink)
                g_value_init(&values[1], cgst_type_uint64())
                g_value_set_uint64(&values[1], guint64(5 * second))
                var result = GValue()
                g_value_init(&result, gst_sample_get_type())
                let signal = g_signal_lookup("try-pull-sample", cgst_type_of_instance(sink))
                g_signal_emitv(values, signal, 0, &result)
                place.pointee = g_value_dup_boxed(&result)
                g_value_unset(&result)
                g_value_unset(&values[0])
            }
            let pulled = OpaquePointer(try #require(sample))
            defer { gst_mini_object_unref(UnsafeMutableRawPointer(pulled).assumingMemoryBound(to: GstMiniObject.self)) }
            let buffer = try #require(gst_sample_get_buffer(pulled))
            return Frame(pts: UInt64(buffer.pointee.pts), pixels: buffer.bytes)
        }
    }
}
