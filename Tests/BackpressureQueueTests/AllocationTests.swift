import CGStreamer
import CMallocCount
import Testing

/// Runs alone: memory is counted for the whole process.
@Suite(.serialized) struct AllocationTests {
    /// GLib keeps the metas' memory, and the queue its tokens'.
    @Test func framesTakeNoMemory() throws {
        let rig = Rig("backpressurequeue", [("max-in-flight", "4"), ("leaky", "no"), ("max-size-buffers", "4")])
        rig.sinkKeeps.store(false, ordering: .relaxed)
        rig.link()
        rig.play()
        rig.begin(format: GST_FORMAT_TIME)
        let pool = try #require(gst_buffer_pool_new())
        gst_buffer_pool_set_config(pool, config(of: pool))
        gst_buffer_pool_set_active(pool, 1)
        let first = mallocs(pushing: 1000, from: pool, through: rig)
        #expect(first > 0)
        // Other tests may take some meanwhile; of several turns one is quiet.
        let later = (0..<20).map { _ in mallocs(pushing: 1000, from: pool, through: rig) }
        // The rig itself notes what arrives, in arrays that double.
        #expect((later.min() ?? .max) < 100)
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
    }

    private func config(of pool: UnsafeMutablePointer<GstBufferPool>) -> UnsafeMutablePointer<GstStructure>? {
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, 64, 16, 0)
        return config
    }

    private func mallocs(pushing count: Int, from pool: UnsafeMutablePointer<GstBufferPool>, through rig: Rig) -> Int {
        let before = mallocCount()
        for _ in 0..<count {
            var buffer: RawBuffer?
            guard gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK, let buffer else { return .max }
            rig.push(buffer)
        }
        return mallocCount() - before
    }
}
