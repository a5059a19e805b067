import CGStreamer
import GstTestSupport
import Testing

@Suite struct QueryTests {
    private func latency(_ settings: [(String, String)], upstream: (UInt64, UInt64)) -> (UInt64, UInt64) {
        let rig = QueueRig(settings)
        rig.record.latency.withLock { $0 = (true, upstream.0, upstream.1) }
        rig.link()
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=25/1", format: GST_FORMAT_TIME)
        let query = gst_query_new_latency()!
        defer { gst_query_unref(query) }
        let pad = rig.sourcePad
        defer { gst_object_unref(pad) }
        #expect(gst_pad_query(pad, query) == 1)
        var isLive: gboolean = 0
        var (least, most): (GstClockTime, GstClockTime) = (0, 0)
        gst_query_parse_latency(query, &isLive, &least, &most)
        #expect(isLive == 1)
        return (UInt64(least), UInt64(most))
    }

    private let ms: UInt64 = 1_000_000

    @Test func leakyQueueReportsSmallerMaximumLatency() {
        #expect(latency([("max-size-time", "33000000")], upstream: (20 * ms, 66 * ms)) == (20 * ms, 33 * ms))
        #expect(latency([("max-size-time", "500000000")], upstream: (20 * ms, 66 * ms)) == (20 * ms, 66 * ms))
        #expect(latency([("max-size-time", "500000000")], upstream: (20 * ms, .max)) == (20 * ms, 500 * ms))
    }

    @Test func derivesMaximumLatencyFromBufferCount() {
        // One frame is queued and one frame is being pushed; each lasts 40 ms.
        #expect(latency([("max-size-buffers", "1")], upstream: (20 * ms, .max)) == (20 * ms, 80 * ms))
        #expect(
            latency([("max-size-buffers", "3"), ("max-in-flight", "4294967295")], upstream: (20 * ms, .max))
                == (20 * ms, 160 * ms))
    }

    @Test func automaticSizesReportUnlimitedLatency() {
        #expect(latency([], upstream: (20 * ms, 66 * ms)) == (20 * ms, .max))
    }

    @Test func blockingQueueAddsItsMaximumLatency() {
        let blocking = [("leaky", "no"), ("max-size-time", "100000000")]
        #expect(latency(blocking, upstream: (20 * ms, 66 * ms)) == (20 * ms, 166 * ms))
        #expect(latency(blocking, upstream: (20 * ms, .max)) == (20 * ms, .max))
    }

    @Test func postsLatencyMessageOncePerChange() {
        func latencyMessages(_ rig: QueueRig) -> Int { rig.messages().count { $0.type == "latency" } }
        let rig = QueueRig([("max-size-buffers", "1")])
        rig.link()
        rig.play()
        rig.set("max-size-buffers", "2")
        #expect(latencyMessages(rig) == 0, "no LATENCY query was answered yet")
        let pad = rig.sourcePad
        defer { gst_object_unref(pad) }
        let query = gst_query_new_latency()!
        defer { gst_query_unref(query) }
        gst_pad_query(pad, query)
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=25/1", format: GST_FORMAT_TIME)
        #expect(latencyMessages(rig) == 1, "the frame duration is known now")
        rig.set("max-size-buffers", "3")
        rig.set("max-size-buffers", "3")
        rig.set("silent", "true")
        #expect(latencyMessages(rig) == 1)
        rig.set("leaky", "no")
        #expect(latencyMessages(rig) == 1)
    }

    /// Minimum of each pool in the answer to an ALLOCATION query for 1920x1080 in NV12; downstream adds no pool.
    private func answerWithoutPool(_ settings: [(String, String)]) -> [guint] {
        let rig = QueueRig(settings)
        rig.link()
        gst_pad_set_query_function_full(rig.sink, { _, _, _ in 1 }, nil, nil)
        rig.play()
        let caps = gst_caps_from_string("video/x-raw,format=NV12,width=1920,height=1080,framerate=25/1")
        defer { gst_caps_unref(caps) }
        let query = gst_query_new_allocation(caps, 1)!
        defer { gst_query_unref(query) }
        #expect(gst_pad_peer_query(rig.source, query) == 1)
        return (0..<gst_query_get_n_allocation_pools(query)).map { index in
            var (size, least, most): (guint, guint, guint) = (0, 0, 0)
            gst_query_parse_nth_allocation_pool(query, index, nil, &size, &least, &most)
            #expect(size == 3_110_400 && most == 0)
            return least
        }
    }

    /// If the answer has an entry, v4l2src does not copy frames, so the minimum must include all frames.
    @Test(arguments: [
        [], [("enabled", "false")], [("max-size-buffers", "2")],
        [("max-size-buffers", "2"), ("max-in-flight", "4294967295")],
        // With automatic sizes, the number of frames that wait depends on their delay.
        [("max-in-flight", "3"), ("in-flight-timeout", "0")],
        // Downstream may hold expired frames in addition to the counted frames.
        [("max-size-buffers", "2"), ("max-in-flight", "3")],
        // A device has fewer buffers than the queue may hold here.
        [("max-size-buffers", "2"), ("max-in-flight", "31"), ("in-flight-timeout", "0")],
        [("max-size-buffers", "200"), ("max-in-flight", "2"), ("in-flight-timeout", "0")],
    ])
    func allocationQueryWithoutPoolHasNoEntryIfFramesAreNotBounded(settings: [(String, String)]) {
        #expect(answerWithoutPool(settings) == [])
    }

    @Test func allocationQueryWithoutPoolRequestsAllFrames() {
        let noExpiry = ("in-flight-timeout", "0")
        #expect(answerWithoutPool([noExpiry, ("max-in-flight", "3"), ("max-size-buffers", "2")]) == [5])
        #expect(answerWithoutPool([noExpiry, ("max-in-flight", "30"), ("max-size-buffers", "2")]) == [32])
        // The maximum size of the queue is 10 MiB, which 4 frames exceed.
        #expect(answerWithoutPool([noExpiry, ("max-in-flight", "3"), ("leaky", "no")]) == [7])
    }

    @Test func allocationQueryRequestsHeldBuffers() {
        let rig = QueueRig([("max-in-flight", "3"), ("max-size-buffers", "2")])
        rig.link()
        gst_pad_set_query_function_full(
            rig.sink,
            { _, _, query in
                gst_query_add_allocation_pool(query, nil, 64, 2, 4)
                return 1
            }, nil, nil)
        rig.play()
        let caps = gst_caps_from_string("foo/x-bar")
        let query = gst_query_new_allocation(caps, 1)!
        #expect(gst_pad_peer_query(rig.source, query) == 1)
        var (size, least, most): (guint, guint, guint) = (0, 0, 0)
        gst_query_parse_nth_allocation_pool(query, 0, nil, &size, &least, &most)
        #expect((size, least, most) == (64, 7, 7))
        gst_query_unref(query)
        gst_caps_unref(caps)
    }
}
