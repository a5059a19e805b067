import CGStreamer
import Glibc

/// Where the bytes of a pool's buffers live.
public enum PoolMemory: Int32, Sendable, CaseIterable {
    /// Pages of this process; they go back to the system with the buffer.
    case system
    /// A file in memory, which other processes can map. The corresponding C type is `GstFdMemory`.
    case memfd
    /// The same as devices take it. The corresponding C type is `GstDmaBufMemory`.
    case udmabuf

    /// What this machine has of it, and why not the thing itself.
    public var available: (memory: PoolMemory, reason: String?) { available { $0.obstacle } }

    /// `obstacle` tells why a kind is not to be had.
    func available(_ obstacle: (PoolMemory) -> String?) -> (memory: PoolMemory, reason: String?) {
        var reasons: [String] = []
        for memory in PoolMemory.allCases.reversed() where memory.rawValue <= rawValue {
            guard memory != .system, let reason = obstacle(memory) else {
                return (memory, reasons.isEmpty ? nil : reasons.joined(separator: "; "))
            }
            reasons.append(reason)
        }
        return (.system, reasons.joined(separator: "; "))
    }

    private var obstacle: String? {
        guard let maker = MemoryMaker(self), let memory = maker.make(4096, GstAllocationParams()) else {
            let reason = String(cString: g_strerror(errno))
            return self == .memfd ? "memfd_create: \(reason)" : "\(MemoryMaker.device): \(reason)"
        }
        gst_memory_unref(memory)
        return nil
    }
}

/// Makes memory of one kind; any thread may use it.
final class MemoryMaker: @unchecked Sendable {  // Allocators are made for many threads; nothing else changes.
    static let device = "/dev/udmabuf"
    /// Below this the C library takes memory from its heap; above, pages of their own go back when they are freed.
    private static let smallestMapping: gsize = 128 * 1024

    private let kind: PoolMemory
    private let allocator: UnsafeMutablePointer<GstAllocator>?
    private let device: CInt

    /// Nil when the machine lacks it.
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
        // Some versions of GStreamer hand out new allocators floating, 1.22 does not: one reference is ours.
        if let allocator, g_object_is_floating(allocator) != 0 { gst_object_ref_sink(allocator) }
    }

    deinit {
        if let allocator { gst_object_unref(allocator) }
        if device >= 0 { close(device) }
    }

    /// New memory of `size` bytes, or nil when there is none left.
    func make(_ size: gsize, _ parameters: GstAllocationParams) -> UnsafeMutablePointer<GstMemory>? {
        var parameters = parameters
        let (sum, overflow) = size.addingReportingOverflow(parameters.prefix &+ parameters.padding)
        guard !overflow, sum >= size, sum > 0, sum < gsize(Int.max) else { return nil }
        switch kind {
        case .system where sum < Self.smallestMapping || parameters.align >= 4096:
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
        // The pages are new, so they are zero throughout.
        var flags = parameters.flags.rawValue
        flags |= GST_MEMORY_FLAG_ZERO_PREFIXED.rawValue | GST_MEMORY_FLAG_ZERO_PADDED.rawValue
        return gst_memory_new_wrapped(
            GstMemoryFlags(rawValue: flags), pages, length, parameters.prefix, size, range, unmap)
    }

    private func file(of length: gsize) -> UnsafeMutablePointer<GstMemory>? {
        let page = gsize(sysconf(CInt(_SC_PAGESIZE)))
        let rounded = (length + page - 1) / page * page
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
