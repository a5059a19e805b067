import CGStreamer

/// An ALLOCATION query from upstream, after downstream has answered it.
///
/// The corresponding C type is `GstQuery`, of the kind `GST_QUERY_ALLOCATION`.
public struct AllocationQuery: ~Copyable {
    private let raw: UnsafeMutablePointer<GstQuery>
    /// The caps of the buffers.
    public let caps: Caps
    /// Whether upstream requests a pool.
    public let wantsPool: Bool

    /// Nil if the query has no caps.
    init?(_ raw: UnsafeMutablePointer<GstQuery>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        var wantsPool: gboolean = 0
        gst_query_parse_allocation(raw, &caps, &wantsPool)
        guard let caps else { return nil }
        self.raw = raw
        self.caps = Caps(caps)
        self.wantsPool = wantsPool != 0
    }

    /// Requirements of downstream on buffers.
    public struct Demand {
        /// Largest buffer size of the pools in the answer, in bytes.
        public var bytesInBuffer = 0
        /// Largest minimum number of buffers of the pools in the answer.
        public var minimum = 0
        /// Type name of the first pool in the answer; nil if there is none.
        public var pool: String?
        /// Type name of the pool or allocator of downstream, if it does not use system memory.
        public var ownMemory: String?
        /// Alignment and padding of memory.
        var parameters = GstAllocationParams()

        /// No requirements.
        public init() {}
    }

    /// The answer of downstream.
    public var demand: Demand {
        var demand = Demand()
        for index in 0..<gst_query_get_n_allocation_pools(raw) {
            var pool: UnsafeMutablePointer<GstBufferPool>?
            var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
            gst_query_parse_nth_allocation_pool(raw, index, &pool, &size, &minimum, &maximum)
            demand.bytesInBuffer = max(demand.bytesInBuffer, Int(size))
            demand.minimum = max(demand.minimum, Int(minimum))
            guard let pool else { continue }
            if index == 0 {
                demand.pool = String(cString: cgst_type_name_of(pool))
                if !Self.isPlain(pool) { demand.ownMemory = demand.pool }
            }
            gst_object_unref(pool)
        }
        var allocator: UnsafeMutablePointer<GstAllocator>?
        if gst_query_get_n_allocation_params(raw) > 0 {
            gst_query_parse_nth_allocation_param(raw, 0, &allocator, &demand.parameters)
        }
        if let allocator {
            if !Self.isSystem(allocator) { demand.ownMemory = String(cString: cgst_type_name_of(allocator)) }
            gst_object_unref(allocator)
        }
        return demand
    }

    /// Offers `pool` in place of the first pool of downstream.
    public func offer<P>(_ pool: PoolReference<P>, bytesInBuffer: Int, minimum: Int) {
        put(pool.handle.pool, bytesInBuffer, minimum, 0)
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
        if gst_query_get_n_allocation_pools(raw) > 0 {
            gst_query_set_nth_allocation_pool(raw, 0, pool, size, low, high)
        } else {
            gst_query_add_allocation_pool(raw, pool, size, low, high)
        }
    }

    /// Whether `pool` provides system memory.
    private static func isPlain(_ pool: UnsafeMutablePointer<GstBufferPool>) -> Bool {
        let type = cgst_type_of_instance(pool)
        guard
            type == gst_buffer_pool_get_type() || type == gst_video_buffer_pool_get_type()
                || ObjectType.of(type) != nil
        else { return false }
        guard let config = gst_buffer_pool_get_config(pool) else { return true }
        defer { gst_structure_free(config) }
        var allocator: UnsafeMutablePointer<GstAllocator>?
        gst_buffer_pool_config_get_allocator(config, &allocator, nil)
        return allocator.map { isSystem($0) } ?? true
    }

    private static func isSystem(_ allocator: UnsafeMutablePointer<GstAllocator>) -> Bool {
        allocator.pointee.mem_type.map { String(cString: $0) == "SystemMemory" } ?? false
    }
}

extension ElementHost {
    /// Requirements of downstream on buffers with `caps`; nil if the query fails or the pad is not linked.
    ///
    /// Call it on the streaming thread. The corresponding C function is `gst_pad_peer_query`.
    public func queryAllocation(for caps: Caps) -> AllocationQuery.Demand? {
        guard let pad = gst_element_get_static_pad(element, "src") else { return nil }
        defer { gst_object_unref(pad) }
        guard let query = gst_query_new_allocation(caps.raw, 1) else { return nil }
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(pad, query) != 0 ? AllocationQuery(query)?.demand : nil
    }
}
