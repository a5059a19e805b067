import CGStreamer
import GstTestSupport
import Synchronization
import Testing

@Suite struct CreditTests {
    private func rig(_ settings: [(String, String)]) -> QueueRig {
        let rig = QueueRig(settings)
        rig.link()
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", format: GST_FORMAT_TIME)
        return rig
    }

    @Test(arguments: [1, 2, 3, 7])
    func neverExceedsInFlightLimit(limit: Int) {
        let rig = rig([("max-in-flight", "\(limit)"), ("in-flight-timeout", "0"), ("max-size-buffers", "1")])
        for number in 0..<20 {
            #expect(rig.push(QueueRig.buffer(pts: UInt64(number) * 33_000_000)) == GST_FLOW_OK)
            // The test waits after each frame, so that no frame is dropped before the streaming thread runs.
            #expect(eventually { rig.buffers.count == min(number + 1, limit) })
        }
        #expect(rig.number("in-flight") == UInt64(limit))
        #expect(rig.number("max-in-flight-in-force") == UInt64(limit))
        #expect(rig.number("current-level-buffers") == 1)
        #expect(rig.number("dropped") == UInt64(20 - limit - 1))
        #expect(rig.statistic("dropped-in-flight") == rig.number("dropped"))
        #expect(rig.statistic("max-in-flight-seen") == UInt64(limit))
        #expect(rig.isConserved)
        // The newest frame is pushed after a release.
        rig.releaseOne()
        #expect(eventually { rig.order.last == "buffer!" })
        let newest = rig.buffers.last.map { UInt64($0.pointee.pts) }
        #expect(newest == 19 * 33_000_000)
        rig.release()
        #expect(rig.number("in-flight") == 0)
    }

    /// P95 is the longest time of fewer than 20 frames, and P99 is the longest time of fewer than 100 frames.
    @Test func percentilesOfFewReleasesAreTheLongestTime() {
        let rig = rig([("max-in-flight", "100"), ("leaky", "no")])
        let percentiles = { ["50", "95", "99"].map { rig.statistic("release-time-p\($0)") } }
        #expect(percentiles() == [0, 0, 0])
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        rig.release()
        let one = percentiles()
        #expect(one[0] > 0 && one[1] == one[0] && one[2] == one[0])
        for _ in 0..<9 { rig.push() }
        #expect(eventually { rig.buffers.count == 9 })
        rig.release()
        let ten = percentiles()
        #expect(rig.statistic("released") == 10 && ten[1] == ten[2] && ten[0] <= ten[1])
    }

    @Test func limitChangesWhilePlaying() {
        let rig = rig([("max-in-flight", "1"), ("max-size-buffers", "4294967295"), ("in-flight-timeout", "0")])
        for _ in 0..<9 { rig.push() }
        #expect(eventually { rig.buffers.count == 1 })
        rig.set("max-in-flight", "4")
        #expect(eventually { rig.buffers.count == 4 })
        rig.set("max-in-flight", "2")
        rig.releaseOne()
        rig.releaseOne()
        #expect(remains { rig.buffers.count == 2 })
        rig.set("enabled", "false")
        #expect(eventually { rig.buffers.count == 7 })
        #expect(rig.isConserved)
    }

    @Test func framesCountOnlyUnderALimit() {
        let rig = rig([("max-in-flight", "4294967295")])
        let counts = { [rig.number("in-flight"), rig.statistic("max-in-flight-seen"), rig.statistic("released")] }
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        #expect(counts() == [0, 0, 0])
        rig.set("max-in-flight", "5")
        rig.push()
        #expect(eventually { rig.buffers.count == 2 })
        #expect(counts() == [1, 1, 0])
        rig.set("max-in-flight", "4294967295")
        rig.push()
        #expect(eventually { rig.buffers.count == 3 })
        #expect(counts() == [1, 1, 0])
        rig.release()
        #expect(counts() == [0, 1, 1])
    }

    /// The answer to the LATENCY query, which may be slow, also determines whether the first frame counts.
    @Test(arguments: [(true, 1 as UInt64), (false, 0)])
    func firstFrameCountsIfTheSourceIsLive(isLive: Bool, count: UInt64) {
        let rig = QueueRig([])
        rig.record.latency.withLock { $0.isLive = isLive }
        rig.link()
        rig.play()
        rig.begin(format: GST_FORMAT_TIME)
        gst_pad_add_probe(
            rig.source, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
            { _, _, _ in
                simulateWork(for: .milliseconds(50))
                return GST_PAD_PROBE_OK
            }, nil, nil)
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        #expect(rig.number("in-flight") == count)
    }

    @Test func copiesOfAFrameCountOnce() throws {
        let rig = rig([("max-in-flight", "5")])
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        let copies = try (0..<3).map { _ in try #require(gst_buffer_copy(rig.buffers[0])) }
        #expect(rig.number("in-flight") == 1)
        rig.release()
        #expect(rig.number("in-flight") == 1)
        gst_buffer_unref(copies[0])
        gst_buffer_unref(copies[1])
        #expect(rig.number("in-flight") == 1)
        gst_buffer_unref(copies[2])
        #expect(rig.number("in-flight") == 0)
    }

    @Test(arguments: [("memory", 0 as UInt64), ("derived", 1)])
    func releaseScopeDeterminesWhetherDeepCopiesCount(scope: String, left: UInt64) throws {
        let rig = rig([("max-in-flight", "5"), ("release-scope", scope)])
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        let copy = try #require(gst_buffer_copy_deep(rig.buffers[0]))
        rig.release()
        #expect(rig.number("in-flight") == left)
        gst_buffer_unref(copy)
        #expect(rig.number("in-flight") == 0)
    }

    @Test func bufferReturnedToItsPoolIsReleased() throws {
        let rig = rig([("max-in-flight", "5")])
        let pool = try #require(gst_buffer_pool_new())
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, 64, 1, 1)
        gst_buffer_pool_set_config(pool, config)
        gst_buffer_pool_set_active(pool, 1)
        for round in 1...50 {
            var buffer: RawBuffer?
            #expect(gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK)
            rig.push(try #require(buffer))
            #expect(eventually { rig.buffers.count == 1 })
            #expect(rig.number("in-flight") == 1)
            rig.release()
            #expect(rig.number("in-flight") == 0)
            #expect(rig.number("out") == UInt64(round))
        }
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
    }

    @Test func unreleasedFrameExpires() {
        let rig = rig([("max-in-flight", "1"), ("in-flight-timeout", "30000000"), ("max-size-buffers", "4294967295")])
        for _ in 0..<4 { rig.push() }
        #expect(eventually { rig.buffers.count == 4 })
        #expect(rig.number("expired") == 3)
        #expect(rig.number("in-flight") == 1)
        // If a frame expires and its holder is not known, the queue records which sink pads the next frames enter. When
        // one of these frames expires too, the queue posts the warning once.
        var warnings = 0
        #expect(
            eventually {
                warnings += rig.messages().count { $0.type == "warning" }
                return warnings == 1
            })
        // The release of an expired frame does not change `in-flight` again.
        rig.release()
        #expect(rig.number("in-flight") == 0)
        #expect(rig.number("expired") == 3)
        #expect(rig.isConserved)
    }

    @Test func flushStopsCountingFramesInFlight() {
        let rig = rig([("max-in-flight", "1"), ("in-flight-timeout", "0")])
        rig.push()
        #expect(eventually { rig.buffers.count == 1 })
        gst_pad_push_event(rig.source, gst_event_new_flush_start())
        gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
        #expect(rig.number("in-flight") == 0)
        rig.begin(format: GST_FORMAT_TIME)
        rig.push()
        #expect(eventually { rig.buffers.count == 2 })
        rig.releaseOne()
        #expect(rig.number("in-flight") == 1)
        rig.push()
        #expect(remains { rig.buffers.count == 1 })
    }

    @Test func framesMayOutliveTheElement() {
        var kept: [RawBuffer] = []
        do {
            let rig = rig([("max-in-flight", "3")])
            for _ in 0..<3 { rig.push() }
            #expect(eventually { rig.number("in-flight") + rig.number("dropped") == 3 })
            kept = rig.buffers
            for buffer in kept { gst_buffer_ref(buffer) }
        }
        for buffer in kept { gst_buffer_unref(buffer) }
    }

    @Test func countsReleasesFromAnyThread() {
        let rig = rig([("max-in-flight", "4"), ("leaky", "no"), ("max-size-buffers", "4")])
        let isDone = Atomic<Bool>(false)
        let threads = (0..<3).map { _ in
            TestThread {
                while !isDone.load(ordering: .relaxed) {
                    rig.releaseOne()
                    g_thread_yield()
                }
            }
        }
        for _ in 0..<20_000 { rig.push() }
        #expect(eventually { rig.number("out") == 20_000 && rig.number("in-flight") == 0 })
        isDone.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
        #expect(rig.number("dropped") == 0)
        #expect(rig.statistic("max-in-flight-seen") <= 4)
        #expect(rig.statistic("released") == 20_000)
    }

    @Test func splitsListsToFitCredit() {
        let rig = rig([("max-in-flight", "3"), ("max-size-buffers", "4294967295"), ("in-flight-timeout", "0")])
        rig.push(list: (0..<8).map { QueueRig.buffer(pts: $0) })
        #expect(eventually { rig.buffers.count == 3 })
        #expect(rig.number("current-level-buffers") == 5)
        #expect(rig.isConserved)
        rig.release()
        #expect(eventually { rig.buffers.count == 3 })
        rig.release()
        #expect(eventually { rig.buffers.count == 2 })
        #expect(rig.buffers.map { $0.pointee.pts } == [6, 7])
        #expect(rig.number("out") == 8)
    }

    /// The limit is the number of frames that start during the latency, plus two.
    @Test(arguments: [("true", "30/1", 4 as UInt64), ("true", "60/1", 5), ("false", "60/1", 2)])
    func initialLimitCoversLatencyOfSynchronizingSink(sync: String, rate: String, limit: UInt64) {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! video/x-raw,width=16,height=16,framerate=\(rate) ! "
                + "backpressurequeue name=q ! fakesink sync=\(sync)")
        gst_pipeline_set_latency(
            UnsafeMutableRawPointer(pipeline.raw).assumingMemoryBound(to: GstPipeline.self), 36_670_000)
        let clock = TestClock(pipeline)
        let queue = pipeline.element("q")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        // The source and a synchronizing sink wait for the clock.
        for _ in 0..<8 { #expect(clock.crank(waiters: sync == "true" ? 2 : 1)) }
        #expect(eventually { queue.number("out") > 2 })
        #expect(queue.number("max-in-flight-in-force") == Double(limit))
        #expect(queue.number("dropped") == 0)
    }

    @Test func disabledElementIsPlainQueue() {
        let rig = rig([("enabled", "false"), ("max-in-flight", "1"), ("leaky", "no"), ("max-size-buffers", "2")])
        for _ in 0..<10 { rig.push() }
        #expect(eventually { rig.buffers.count == 10 })
        #expect(rig.number("in-flight") == 0)
    }
}
