import CGStreamer
import GstTestSupport
import PoolPolicy
import Testing

import Threads
@testable import AdaptivePool
@testable import ElasticPool
@testable import GStreamer

@Suite struct PoolTests {
    private let picture = "video/x-raw,format=I420,width=100,height=50,framerate=30/1"

    @Test func acceptsAnyCapsAndNone() throws {
        for caps in [nil, "test/data", "video/x-raw", "audio/x-raw,rate=1", picture] {
            let pool = Pool(7600, caps: caps)
            gst_buffer_unref(try pool.take())
        }
        #expect(!Pool().configure(10, caps: picture))
    }

    /// P50 is the longest time of fewer than 2 acquires, and P99 is the longest time of fewer than 100 acquires.
    @Test func percentilesOfFewAcquiresAreTheLongestTime() throws {
        let pool = Pool(16)
        let times = { ["p50", "p99", "max"].map { pool.adaptive.statistics["acquire-time-\($0)"] } }
        #expect(times() == [.uint64(0), .uint64(0), .uint64(0)])
        // The test calls `acquired` itself, because the governor may add an idle buffer before a real acquire. The pool
        // measures only one in sixteen acquires that find an idle buffer, and counts this one sixteen times.
        pool.adaptive.acquired(after: .microseconds(7), foundIdle: false)
        #expect(times() == Array(repeating: .duration(.microseconds(7)), count: 3))
        pool.adaptive.acquired(after: .microseconds(9), foundIdle: false)
        #expect(times()[1...] == [.duration(.microseconds(9)), .duration(.microseconds(9))])
        gst_buffer_unref(try pool.take())
        #expect(times()[2] != .uint64(0))
    }

    @Test func sizeZeroMakesEmptyBuffers() throws {
        let pool = Pool(0)
        let buffer = try pool.take()
        #expect(gst_buffer_get_size(buffer) == 0)
        gst_buffer_unref(buffer)
    }

    @Test func activationFailsWithoutMemory() {
        let pool = Pool(.max, 1_000_000, isActive: false)
        let config = gst_buffer_pool_get_config(pool.raw)!
        var parameters = GstAllocationParams()
        parameters.prefix = .max - 100
        gst_buffer_pool_config_set_allocator(config, nil, &parameters)
        gst_buffer_pool_set_config(pool.raw, config)
        #expect(!pool.activate())
    }

    @Test func addsTheRequestedMetaAndAlignment() throws {
        let pool = Pool()
        #expect(
            pool.configure(8000, caps: picture) { config in
                gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META)
                gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT)
                var alignment = GstVideoAlignment()
                gst_video_alignment_reset(&alignment)
                alignment.padding_top = 4
                alignment.padding_left = 16
                alignment.stride_align = (63, 63, 63, 63)
                gst_buffer_pool_config_set_video_alignment(config, &alignment)
            })
        pool.activate()
        for _ in 0..<3 {
            let buffer = try pool.take()
            let meta = try #require(gst_buffer_get_video_meta(buffer))
            #expect(meta.pointee.stride.0 % 64 == 0 && meta.pointee.stride.0 >= 116)
            #expect(meta.pointee.offset.0 >= gsize(4 * meta.pointee.stride.0))
            var map = GstMapInfo()
            #expect(gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0)
            #expect(UInt(bitPattern: map.data) % 64 == 0)
            gst_buffer_unmap(buffer, &map)
            gst_buffer_unref(buffer)
        }
    }

    /// This pool and the pool of GStreamer have the same configuration.
    @Test func layoutEqualsThatOfTheStockPool() throws {
        for format in ["I420", "BGRx", "NV12", "v210", "YUY2"] {
            let caps = "video/x-raw,format=\(format),width=101,height=51,framerate=30/1"
            var metas: [[Int]] = []
            let ours = Pool()
            for raw in [ours.raw, gst_video_buffer_pool_new()!] {
                if raw == ours.raw { gst_object_ref(raw) }
                let config = gst_buffer_pool_get_config(raw)!
                let parsed = gst_caps_from_string(caps)
                defer { gst_caps_unref(parsed) }
                gst_buffer_pool_config_set_params(config, parsed, 100_000, 0, 0)
                gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META)
                gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT)
                var alignment = GstVideoAlignment()
                gst_video_alignment_reset(&alignment)
                alignment.padding_bottom = 3
                alignment.stride_align = (15, 7, 0, 0)
                gst_buffer_pool_config_set_video_alignment(config, &alignment)
                #expect(gst_buffer_pool_set_config(raw, config) != 0)
                gst_buffer_pool_set_active(raw, 1)
                var buffer: UnsafeMutablePointer<GstBuffer>?
                gst_buffer_pool_acquire_buffer(raw, &buffer, nil)
                let meta = try #require(gst_buffer_get_video_meta(buffer)).pointee
                metas.append(
                    [Int(gst_buffer_get_size(buffer))]
                        + [meta.offset.0, meta.offset.1, meta.offset.2].map { Int($0) }
                        + [meta.stride.0, meta.stride.1, meta.stride.2].map { Int($0) })
                gst_buffer_unref(buffer)
                gst_buffer_pool_set_active(raw, 0)
                gst_object_unref(raw)
            }
            #expect(metas[0] == metas[1], "\(format)")
        }
    }

    @Test func returnsEOSAtTheLimitWithoutWaiting() throws {
        let pool = Pool(10, 0, 2)
        let (one, two) = (try pool.take(), try pool.take())
        #expect(pool.acquire(dontWait: true).0 == GST_FLOW_EOS)
        #expect(pool.counts.stalls == 1)
        gst_buffer_unref(one)
        let (result, three) = pool.acquire(dontWait: true)
        #expect(result == GST_FLOW_OK && three == one)
        gst_buffer_unref(two)
        gst_buffer_unref(three)
    }

    @Test func aReleaseWakesAWaitingAcquire() throws {
        let pool = Pool(10, 0, 1)
        let held = Shared(value: try pool.take())
        let thread = pool.whenAnAcquireWaits {
            // The acquire below must wait for at least this time.
            simulateWork(for: .milliseconds(30))
            gst_buffer_unref(held.value)
        }
        gst_buffer_unref(try pool.take())
        thread.join()
        #expect(pool.counts.stalls == 1 && pool.counts.stallTime >= .milliseconds(10))
    }

    @Test func flushingAndDeactivationWakeAWaitingAcquire() throws {
        for isFlush in [true, false] {
            let pool = Pool(10, 0, 1)
            let held = try pool.take()
            let thread = pool.whenAnAcquireWaits {
                if isFlush { gst_buffer_pool_set_flushing(pool.raw, 1) } else { pool.deactivate() }
            }
            #expect(pool.acquire().0 == GST_FLOW_FLUSHING)
            thread.join()
            gst_buffer_unref(held)
        }
    }

    @Test func deactivationFreesBuffersInUseWhenTheyAreReleased() throws {
        let pool = Pool(10)
        let freed = Freed()
        let (one, two) = (try pool.take(), try pool.take())
        for buffer in [one, two] { freed.watch(buffer) }
        pool.deactivate()
        #expect(freed.count == 0)
        gst_buffer_unref(one)
        gst_buffer_unref(two)
        #expect(freed.count == 2 && pool.counts.size == 0)
    }

    @Test func buffersKeepTheirPoolAlive() throws {
        var pool: Pool? = Pool(10)
        let freed = Freed()
        let buffer = try pool!.take()
        freed.watch(buffer)
        pool!.deactivate()
        pool = nil
        gst_buffer_unref(buffer)
        #expect(freed.count == 1)
    }

    @Test func shrinksIdleBuffersAtOnceAndOthersOnRelease() throws {
        let pool = Pool(10)
        pool.elastic.resize(to: 8, limit: 16)
        let held = try (0..<6).map { _ in try pool.take() }
        pool.elastic.resize(to: 3, limit: 16)
        #expect(pool.counts.size == 6)
        for buffer in held { gst_buffer_unref(buffer) }
        #expect(pool.counts.size == 3 && pool.counts.inUse == 0)
    }
}
