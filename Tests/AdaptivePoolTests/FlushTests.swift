import CGStreamer
import GstTestSupport
import Synchronization
import Testing

@testable import AdaptivePool
@testable import ElasticPool
@testable import GStreamer

/// Tests that no acquire fails in a flush or a stop, because a decoder with direct rendering then ends with an error.
@Suite(.serialized) struct FlushTests {
    /// During the flush, the decoder decodes until a push of a frame returns FLUSHING.
    @Test func thirtyFlushesFailNoAcquire() throws {
        let decoder = try DirectDecoder("adaptivepool max-buffers=4")
        for _ in 0..<30 {
            decoder.play()
            decoder.awaitWaitingAcquire()
            decoder.push(gst_event_new_flush_start())
            decoder.awaitFailedPush()
            decoder.push(gst_event_new_flush_stop(1))
            decoder.forgetFrames()
        }
        #expect(decoder.failures == 0)
        // After a flush, the pool has no more buffers than the user permits.
        #expect(decoder.counts.size <= 4)
    }

    @Test func aFlushFailsNoAcquireOfADecoderThatDoesNotWait() throws {
        let decoder = try DirectDecoder("adaptivepool")
        for round in 0..<30 {
            decoder.play()
            for _ in 0..<(round % 5) { decoder.awaitFrame() }
            decoder.push(gst_event_new_flush_start())
            decoder.awaitFailedPush()
            decoder.push(gst_event_new_flush_stop(1))
            decoder.forgetFrames()
        }
        #expect(decoder.failures == 0)
    }

    /// Elements stop from the sink upward, so the decoder still acquires buffers when the pool stops.
    @Test func aStopFailsNoAcquire() throws {
        for state in [ElementReference.State.ready, .null] {
            let decoder = try DirectDecoder("adaptivepool max-buffers=4")
            decoder.play()
            decoder.awaitWaitingAcquire()
            decoder.stopElement(state)
            decoder.awaitFailedPush()
            #expect(decoder.failures == 0)
        }
    }

    /// `avdec_vp8` decodes into buffers of the pool, requires more than four, and posts an error if an acquire fails.
    @Test(arguments: [
        ("vp8dec", "identity"), ("vp8dec", "adaptivepool"), ("vp8dec", "adaptivepool max-buffers=4"),
        ("avdec_vp8", "identity"), ("avdec_vp8", "adaptivepool"), ("avdec_vp8", "adaptivepool force=true"),
    ])
    func playsAfterThirtyFlushingSeeks(decoder: String, middle: String) {
        guard Setup.has(decoder) else { return }
        let pipeline = Pipeline(
            "filesrc location=\(Clip.path) ! matroskademux ! \(decoder) ! \(middle) ! queue ! fakesink name=s")
        pipeline.go(GST_STATE_PAUSED)
        var heard: [String] = []
        for round in 0..<30 {
            pipeline.go(GST_STATE_PLAYING)
            let time = gint64(round % 2 == 0 ? 0 : (round % 5) * 1_000_000_000)
            #expect(gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, time) != 0)
            heard += pipeline.listen(seconds: 0.02)
        }
        // The stream may have ended before the last seek.
        if heard.last != "eos" { heard += pipeline.play() }
        #expect(heard.last == "eos" && !heard.contains { $0.hasPrefix("error") }, "\(heard)")
    }

    /// Until the decoder has negotiated, it uses its own buffers.
    @Test func doesNotWarnAboutADecoderThatNegotiatesLate() throws {
        let decoder = try DirectDecoder("adaptivepool")
        for _ in 0..<64 { decoder.pushForeignFrame() }
        decoder.play()
        decoder.awaitFrame()
        decoder.end()
        for _ in 0..<100 { decoder.pushForeignFrame() }
        #expect(decoder.warnings.isEmpty)
    }

    @Test func warnsOnceAboutADecoderThatDoesNotUseThePool() throws {
        let decoder = try DirectDecoder("adaptivepool")
        for _ in 0..<200 { decoder.pushForeignFrame() }
        #expect(
            decoder.warnings == [
                "The element upstream does not use the adaptive pool: it was offered the pool and did not use it."
            ])
    }
}

/// A decoder with direct rendering, for which each failed acquire is an error, even during a flush.
private final class DirectDecoder: @unchecked Sendable {  // Pool and pads have locks; other state is atomic.
    /// The harness keeps the buffers that arrive downstream until `forgetFrames`.
    private let harness: Harness
    private let pool: UnsafeMutablePointer<GstBufferPool>
    private var thread: TestThread?
    private let failed = Atomic<Int>(0)
    private let pushed = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let size: gsize = 1024

    init(_ line: String) throws {
        let text = "video/x-raw,format=BGRx,width=16,height=16,framerate=25/1"
        harness = try #require(Harness(line: line, caps: text))
        let caps = gst_caps_from_string(text)
        let query = gst_query_new_allocation(caps, 1)!
        defer {
            gst_query_unref(query)
            gst_caps_unref(caps)
        }
        try #require(gst_pad_peer_query(harness.raw.pointee.srcpad, query) != 0)
        var offered: UnsafeMutablePointer<GstBufferPool>?
        gst_query_parse_nth_allocation_pool(query, 0, &offered, nil, nil, nil)
        pool = try #require(offered)
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, caps, guint(size), 0, 0)
        try #require(gst_buffer_pool_set_config(pool, config) != 0 && gst_buffer_pool_set_active(pool, 1) != 0)
    }

    deinit {
        end()
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
    }

    var failures: Int { failed.load(ordering: .sequentiallyConsistent) }
    var counts: PoolCounts { AdaptiveBufferPool.object(behind: pool)!.counts }

    var warnings: [String] { harness.messages().filter { $0.type == "warning" }.map(\.text) }

    /// Decodes on a new thread until a push or an acquire fails.
    func play() {
        end()
        isOver.store(false, ordering: .sequentiallyConsistent)
        let decoder = Shared(value: Unmanaged.passUnretained(self))
        thread = TestThread { decoder.value.takeUnretainedValue().decode() }
    }

    private func decode() {
        while !isOver.load(ordering: .sequentiallyConsistent) {
            var buffer: UnsafeMutablePointer<GstBuffer>?
            guard gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK, let buffer else {
                failed.add(1, ordering: .sequentiallyConsistent)
                return
            }
            guard harness.push(buffer) == GST_FLOW_OK else { return }
            pushed.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Waits until an acquire of the decoder waits for a buffer.
    func awaitWaitingAcquire() {
        #expect(eventually { counts.waiting == 1 })
    }

    /// Waits until the decoder has pushed one more frame.
    func awaitFrame() {
        let before = pushed.load(ordering: .sequentiallyConsistent)
        #expect(eventually { pushed.load(ordering: .sequentiallyConsistent) > before })
    }

    /// Joins the thread, which ends after a failed push.
    func awaitFailedPush() {
        thread?.join()
        thread = nil
    }

    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        guard thread != nil else { return }
        if counts.waiting > 0 { gst_buffer_pool_set_flushing(pool, 1) }
        awaitFailedPush()
        gst_buffer_pool_set_flushing(pool, 0)
    }

    func push(_ event: UnsafeMutablePointer<GstEvent>) { harness.push(event: event) }

    func stopElement(_ state: ElementReference.State) { harness.element.setState(state) }

    func pushForeignFrame() {
        #expect(harness.push(gst_buffer_new_allocate(nil, size, nil)) == GST_FLOW_OK)
        forgetFrames()
    }

    /// Releases the buffers that have arrived downstream.
    func forgetFrames() {
        while harness.pull() != nil {}
        // After a flush, the stream has no segment.
        harness.beginSegment()
    }
}
