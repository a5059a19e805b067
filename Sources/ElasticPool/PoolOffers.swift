import CGStreamer
public import GStreamer

extension AllocationQuery {
    /// Offers `pool` in place of the first pool of downstream.
    public func offer<P>(_ pool: PoolReference<P>, bytesInBuffer: Int, minimum: Int) {
        pool.withUnsafePointer { put($0, bytesInBuffer, minimum, 0) }
    }

    /// Offers a `GstVideoBufferPool` with at most `maximum` buffers.
    public func offerStockPool(bytesInBuffer: Int, minimum: Int, maximum: Int) {
        guard let pool = gst_video_buffer_pool_new() else { return }
        put(pool, bytesInBuffer, minimum, maximum)
        gst_object_unref(pool)
    }

    private func put(_ pool: UnsafeMutablePointer<GstBufferPool>, _ bytes: Int, _ minimum: Int, _ maximum: Int) {
        let size = guint(clamping: bytes)
        let (low, high) = (guint(clamping: minimum), guint(clamping: maximum))
        withUnsafePointer { query in
            if gst_query_get_n_allocation_pools(query) > 0 {
                gst_query_set_nth_allocation_pool(query, 0, pool, size, low, high)
            } else {
                gst_query_add_allocation_pool(query, pool, size, low, high)
            }
        }
    }
}

extension PoolReference {
    /// Configures the pool for frames of `caps` and activates it; false on failure.
    func activate(_ caps: Caps, for demand: AllocationDemand) -> Bool {
        withUnsafePointer { pool in
            guard let config = gst_buffer_pool_get_config(pool) else { return false }
            var parameters = demand.parameters
            caps.withUnsafePointer {
                gst_buffer_pool_config_set_params(
                    config, $0, guint(clamping: max(caps.bytesInFrame, demand.bytesInBuffer)),
                    guint(clamping: demand.minimum), 0)
            }
            gst_buffer_pool_config_set_allocator(config, nil, &parameters)
            guard gst_buffer_pool_set_config(pool, config) != 0 else { return false }
            return gst_buffer_pool_set_active(pool, 1) != 0
        }
    }
}
