import CGStreamer

/// How one pool's buffers are made, as its configuration says; any thread may use it.
final class PoolRecipe: @unchecked Sendable {  // Nothing changes after `init`; allocators are made for many threads.
    let size: gsize
    let needs: PoolNeeds
    private let allocator: UnsafeMutablePointer<GstAllocator>?
    private let parameters: GstAllocationParams
    /// The picture that a GstVideoMeta describes, when one is asked for.
    private let described: GstVideoInfo?

    /// Nil when `config` cannot be met; it may be changed in either case, as `GstBufferPoolClass.set_config` allows.
    init?(_ config: UnsafeMutablePointer<GstStructure>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
        var allocator: UnsafeMutablePointer<GstAllocator>?
        var parameters = GstAllocationParams()
        guard gst_buffer_pool_config_get_params(config, &caps, &size, &minimum, &maximum) != 0,
            gst_buffer_pool_config_get_allocator(config, &allocator, &parameters) != 0
        else { return nil }

        var described: GstVideoInfo?
        if let caps, var info = Self.picture(caps) {
            guard size >= info.size else { return nil }
            if gst_buffer_pool_config_has_option(config, Self.videoMeta) != 0 {
                if gst_buffer_pool_config_has_option(config, Self.videoAlignment) != 0 {
                    guard cgst_pool_config_align(config, &info, &parameters.align) != 0 else { return nil }
                    gst_buffer_pool_config_set_allocator(config, allocator, &parameters)
                }
                described = info
            }
            guard let whole = guint(exactly: max(gsize(size), info.size)) else { return nil }
            size = whole
            gst_buffer_pool_config_set_params(config, caps, size, minimum, maximum)
        }
        self.size = gsize(size)
        self.described = described
        self.parameters = parameters
        // The one that everybody means when they name none.
        let isOwn = allocator.map { !Self.isSystem($0) } ?? false
        self.allocator = isOwn ? allocator : nil
        if let own = self.allocator { gst_object_ref(own) }
        needs = PoolNeeds(
            bytesInBuffer: Int(size), minimum: Int(minimum), maximum: maximum == 0 ? nil : Int(maximum))
    }

    deinit {
        if let allocator { gst_object_unref(allocator) }
    }

    /// A new buffer as its pool expects it back, or nil when there is no memory left.
    func makeBuffer(_ maker: MemoryMaker, touch: Bool) -> UnsafeMutablePointer<GstBuffer>? {
        guard let buffer = gst_buffer_new() else { return nil }
        if size > 0 {
            var parameters = parameters
            let made =
                allocator == nil ? maker.make(size, parameters) : gst_allocator_alloc(allocator, size, &parameters)
            guard let made else {
                gst_buffer_unref(buffer)
                return nil
            }
            if touch { Self.touch(made) }
            gst_buffer_append_memory(buffer, made)
        }
        if var described { _ = cgst_buffer_add_video_meta(buffer, &described) }
        cgst_buffer_join_pool(buffer)
        return buffer
    }

    static func isSystem(_ allocator: UnsafeMutablePointer<GstAllocator>) -> Bool {
        guard let kind = allocator.pointee.mem_type else { return false }
        return String(cString: kind) == "SystemMemory"
    }

    /// The options of pools of ours.
    static var options: [String] { [videoMeta, videoAlignment] }

    private static let videoMeta = GST_BUFFER_POOL_OPTION_VIDEO_META
    private static let videoAlignment = GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT

    /// Nil when `caps` are not those of raw pictures in plain memory.
    static func picture(_ caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard gst_caps_is_fixed(caps) != 0, let first = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(first, "video/x-raw") != 0
        else { return nil }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Makes the pages of new memory present, so that writing to it later waits for nothing.
    private static func touch(_ memory: UnsafeMutablePointer<GstMemory>) {
        var map = GstMapInfo()
        guard gst_memory_map(memory, &map, GST_MAP_WRITE) != 0 else { return }
        defer { gst_memory_unmap(memory, &map) }
        guard let data = map.data else { return }
        let page: UInt = 4096
        let first = UInt(bitPattern: data) & ~(page - 1)
        let length = UInt(bitPattern: data) + UInt(map.size) - first
        if cgst_populate(UnsafeMutableRawPointer(bitPattern: first), gsize(length)) == 0 { return }
        var offset = 0
        while offset < Int(map.size) {
            data[offset] = 0
            offset += Int(page)
        }
    }
}
