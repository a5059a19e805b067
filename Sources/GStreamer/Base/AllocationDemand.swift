import CGStreamer

/// The requirements that downstream has for buffers, read from its answer to an ALLOCATION query.
///
/// An element with a pool of its own decides the allocation of its output from it, and proposes that pool upstream with
/// `AllocationQuery.offer`. The corresponding C functions are `gst_query_parse_nth_allocation_pool` and
/// `gst_query_parse_nth_allocation_param`.
public struct AllocationDemand {
    /// Largest buffer size of the pools in the answer, in bytes.
    public private(set) var bytesInBuffer = 0
    /// The largest minimum that a pool in the answer has for its number of buffers.
    public private(set) var minimum = 0
    /// Type name of the first pool in the answer; nil if there is none.
    public private(set) var pool: String?
    /// Type name of the downstream pool or allocator whose memory is not system memory; nil if there is none.
    public private(set) var ownMemory: String?
    /// Alignment and padding of memory.
    private(set) var parameters = GstAllocationParams()

    /// Creates a demand without requirements.
    public init() {}

    /// Reads the requirements from the answer to `query`; a pool of class `P` counts as a pool of core GStreamer.
    public init<P: BufferPool>(_ query: borrowing AllocationQuery, besides _: P.Type) {
        self = query.withUnsafePointer { Self($0, besides: P.self) }
    }

    /// Queries downstream, on the streaming thread; nil if the query fails or the source pad is not linked.
    public init?<P: BufferPool>(of caps: Caps, downstreamOf host: ElementHost, besides _: P.Type) {
        guard let pad = host.pad("src"), let query = caps.withUnsafePointer({ gst_query_new_allocation($0, 1) })
        else { return nil }
        defer { gst_query_unref(query) }
        guard pad.withUnsafePointer({ gst_pad_peer_query($0, query) }) != 0 else { return nil }
        self.init(query, besides: P.self)
    }

    private init<P: BufferPool>(_ query: UnsafeMutablePointer<GstQuery>, besides _: P.Type) {
        for index in 0..<gst_query_get_n_allocation_pools(query) {
            var pool: UnsafeMutablePointer<GstBufferPool>?
            var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
            gst_query_parse_nth_allocation_pool(query, index, &pool, &size, &minimum, &maximum)
            bytesInBuffer = max(bytesInBuffer, Int(size))
            self.minimum = max(self.minimum, Int(minimum))
            guard let pool else { continue }
            if index == 0 {
                self.pool = String(cString: cgst_type_name_of(pool))
                if !Self.usesSystemMemory(pool, besides: P.self) { ownMemory = self.pool }
            }
            gst_object_unref(pool)
        }
        var allocator: UnsafeMutablePointer<GstAllocator>?
        if gst_query_get_n_allocation_params(query) > 0 {
            gst_query_parse_nth_allocation_param(query, 0, &allocator, &parameters)
        }
        guard let allocator else { return }
        if cgst_is_special_allocator(allocator) != 0 { ownMemory = String(cString: cgst_type_name_of(allocator)) }
        gst_object_unref(allocator)
    }

    private static func usesSystemMemory<P: BufferPool>(
        _ pool: UnsafeMutablePointer<GstBufferPool>, besides _: P.Type
    ) -> Bool {
        let type = cgst_type_of_instance(pool)
        guard
            type == gst_buffer_pool_get_type() || type == gst_video_buffer_pool_get_type()
                || P.object(behind: pool) != nil
        else { return false }
        guard let config = gst_buffer_pool_get_config(pool) else { return true }
        defer { gst_structure_free(config) }
        var allocator: UnsafeMutablePointer<GstAllocator>?
        gst_buffer_pool_config_get_allocator(config, &allocator, nil)
        return cgst_is_special_allocator(allocator) == 0
    }
}

extension AllocationQuery {
    /// Offers `pool` in place of the first pool in the answer of downstream.
    ///
    /// The corresponding C function is `gst_query_set_nth_allocation_pool`.
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
    /// Configures the pool for frames of `caps` and activates it; returns false on failure.
    ///
    /// The corresponding C functions are `gst_buffer_pool_set_config` and `gst_buffer_pool_set_active`.
    public func activate(_ caps: Caps, for demand: AllocationDemand) -> Bool {
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
