import CGStreamer
import Glibc

/// Allocates memory of one kind; any thread may use it.
final class MemoryMaker: @unchecked Sendable {  // Allocators are thread-safe; nothing else changes.
    private static let device = "/dev/udmabuf"
    /// Memory of this size in bytes or more is mapped, so that its pages return to the system; less is from the heap.
    private static let smallestMapping: gsize = 128 * 1024
    /// Bytes of a page: 4096, or 16384 with the kernel of a Raspberry Pi 5.
    static var page: gsize { gsize(sysconf(CInt(_SC_PAGESIZE))) }

    private let kind: PoolMemory
    private let allocator: UnsafeMutablePointer<GstAllocator>?
    private let device: CInt

    /// Creates an allocator of `kind`; nil if the machine does not provide this kind.
    init?(_ kind: PoolMemory) {
        self.kind = kind
        switch kind {
        case .system:
            allocator = nil
            device = -1
        case .memfd:
            allocator = gst_fd_allocator_new()
            device = -1
        case .udmabuf:
            device = open(Self.device, O_RDWR | O_CLOEXEC)
            guard device >= 0 else { return nil }
            allocator = gst_dmabuf_allocator_new()
        }
        // Some versions of GStreamer return floating references; 1.22 does not.
        if let allocator, g_object_is_floating(allocator) != 0 { gst_object_ref_sink(allocator) }
    }

    deinit {
        if let allocator { gst_object_unref(allocator) }
        if device >= 0 { close(device) }
    }

    /// Reason why the machine does not provide `kind`; nil if the machine provides it.
    static func obstacle(to kind: PoolMemory) -> String? {
        guard let maker = MemoryMaker(kind), let memory = maker.make(4096, GstAllocationParams()) else {
            let reason = String(cString: g_strerror(errno))
            return kind == .memfd ? "memfd_create: \(reason)" : "\(Self.device): \(reason)"
        }
        gst_memory_unref(memory)
        return nil
    }

    /// Allocates memory of `size` bytes; nil if there is no memory.
    func make(_ size: gsize, _ parameters: GstAllocationParams) -> UnsafeMutablePointer<GstMemory>? {
        var parameters = parameters
        let (sum, overflow) = size.addingReportingOverflow(parameters.prefix &+ parameters.padding)
        guard !overflow, sum >= size, sum > 0, sum < gsize(Int.max) else { return nil }
        switch kind {
        case .system where sum < Self.smallestMapping || parameters.align >= Self.page:
            return gst_allocator_alloc(nil, size, &parameters)
        case .system:
            return mapping(of: sum, size, parameters)
        case .memfd, .udmabuf:
            guard let memory = file(of: sum) else { return nil }
            gst_memory_resize(memory, gssize(parameters.prefix), size)
            return memory
        }
    }

    private func mapping(
        of length: gsize, _ size: gsize, _ parameters: GstAllocationParams
    ) -> UnsafeMutablePointer<GstMemory>? {
        guard let pages = cgst_map_pages(length) else { return nil }
        let range = UnsafeMutablePointer<PageRange>.allocate(capacity: 1)
        range.initialize(to: PageRange(start: pages, length: length))
        let unmap: GDestroyNotify = { data in
            guard let range = data?.assumingMemoryBound(to: PageRange.self) else { return }
            munmap(range.pointee.start, Int(range.pointee.length))
            range.deallocate()
        }
        // New pages contain zeros.
        var flags = parameters.flags.rawValue
        flags |= GST_MEMORY_FLAG_ZERO_PREFIXED.rawValue | GST_MEMORY_FLAG_ZERO_PADDED.rawValue
        return gst_memory_new_wrapped(
            GstMemoryFlags(rawValue: flags), pages, length, parameters.prefix, size, range, unmap)
    }

    private func file(of length: gsize) -> UnsafeMutablePointer<GstMemory>? {
        let rounded = (length + Self.page - 1) / Self.page * Self.page
        let file = cgst_memfd_create("gst-adaptive-pool")
        guard file >= 0 else { return nil }
        guard ftruncate(file, off_t(rounded)) == 0, cgst_memfd_seal(file) == 0 else {
            close(file)
            return nil
        }
        guard kind == .udmabuf else {
            return gst_fd_allocator_alloc(allocator, file, length, GST_FD_MEMORY_FLAG_KEEP_MAPPED)
        }
        let shared = cgst_udmabuf_create(device, file, guint64(rounded))
        close(file)
        guard shared >= 0 else { return nil }
        return gst_dmabuf_allocator_alloc_with_flags(allocator, shared, length, GST_FD_MEMORY_FLAG_KEEP_MAPPED)
    }
}

private struct PageRange {
    let start: UnsafeMutableRawPointer
    let length: gsize
}
