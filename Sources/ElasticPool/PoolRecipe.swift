import CGStreamer
import GStreamer

/// Allocates buffers as the configuration of a pool requires; any thread may use it.
final class PoolRecipe: @unchecked Sendable {  // Nothing changes after `init`; allocators are thread-safe.
    let size: gsize
    let needs: PoolNeeds
    private let allocator: UnsafeMutablePointer<GstAllocator>?
    private let parameters: GstAllocationParams
    /// Layout in the GstVideoMeta of each buffer; nil if the configuration does not request that meta.
    private let described: GstVideoInfo?

    /// Reads `configuration`, and may change it as `GstBufferPoolClass.set_config` allows; nil if it cannot be met.
    convenience init?(_ configuration: borrowing PoolConfiguration) {
        // The configuration is borrowed, so the pointer stays valid.
        self.init(configuration.withUnsafePointer { $0 })
    }

    private init?(_ config: UnsafeMutablePointer<GstStructure>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
        var allocator: UnsafeMutablePointer<GstAllocator>?
        var parameters = GstAllocationParams()
        guard gst_buffer_pool_config_get_params(config, &caps, &size, &minimum, &maximum) != 0,
            gst_buffer_pool_config_get_allocator(config, &allocator, &parameters) != 0
        else { return nil }

        var described: GstVideoInfo?
        if let caps, var info = Self.rawVideo(caps) {
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
        // The system allocator is the default. It is not stored, because `MemoryMaker` replaces it.
        self.allocator = cgst_is_special_allocator(allocator) != 0 ? allocator : nil
        if let special = self.allocator { gst_object_ref(special) }
        needs = PoolNeeds(
            bytesInBuffer: Int(size), minimum: Int(minimum), maximum: maximum == 0 ? nil : Int(maximum))
    }

    deinit {
        if let allocator { gst_object_unref(allocator) }
    }

    /// Allocates a buffer of the pool; nil if there is no memory.
    ///
    /// With `touch`, the memory pages of the buffer are made present.
    func makeBuffer(_ maker: MemoryMaker, touch: Bool) -> RawBuffer? {
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

    static var options: [String] { [videoMeta, videoAlignment] }

    private static let videoMeta = GST_BUFFER_POOL_OPTION_VIDEO_META
    private static let videoAlignment = GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT

    /// The layout of raw video; nil if `caps` are not fixed caps of raw video.
    private static func rawVideo(_ caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard gst_caps_is_fixed(caps) != 0, let first = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(first, "video/x-raw") != 0
        else { return nil }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Makes the pages of new memory present, so that the first write causes no page fault.
    private static func touch(_ memory: UnsafeMutablePointer<GstMemory>) {
        var map = GstMapInfo()
        guard gst_memory_map(memory, &map, GST_MAP_WRITE) != 0 else { return }
        defer { gst_memory_unmap(memory, &map) }
        guard let data = map.data else { return }
        let page = UInt(MemoryMaker.page)
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
