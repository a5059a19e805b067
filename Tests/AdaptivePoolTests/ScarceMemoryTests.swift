import CGStreamer
import GstTestSupport
import Synchronization
import Testing

@testable import ElasticPool
@testable import GStreamer

@Suite struct ScarceMemoryTests {
    @Test func waitsForAReleaseWhenThereIsNoMemory() throws {
        let pool = ScarcePool(3)
        let held = try (0..<3).map { _ in try pool.take() }
        #expect(pool.acquire(dontWait: true).0 == GST_FLOW_EOS)
        let first = Shared(value: held[0])
        let thread = pool.pool.whenAnAcquireWaits {
            gst_buffer_unref(first.value)
        }
        let (result, buffer) = pool.acquire()
        thread.join()
        #expect(result == GST_FLOW_OK && buffer == held[0])
        #expect(pool.counts.failures == 2 && pool.counts.size == 3 && pool.counts.grown == 0)
        for buffer in held { gst_buffer_unref(buffer) }
        #expect(pool.counts.size == 3 && pool.counts.inUse == 0)
    }

    /// An acquire must not wait, because no buffer exists whose release could end the wait.
    @Test func failsWhenThereIsNoMemoryAndNoBuffer() throws {
        let pool = ScarcePool(3)
        for buffer in try (0..<3).map({ _ in try pool.take() }) {
            gst_buffer_remove_all_memory(buffer)
            gst_buffer_unref(buffer)
        }
        #expect(pool.counts.size == 0)
        for dontWait in [false, true] { #expect(pool.acquire(dontWait: dontWait).0 == GST_FLOW_ERROR) }
    }

    /// Memory becomes available while an acquire waits, but no buffer is released.
    @Test func retriesAnAllocationByItself() throws {
        let pool = ScarcePool(3)
        let held = try (0..<3).map { _ in try pool.take() }
        let limit = pool.limit
        let thread = pool.pool.whenAnAcquireWaits {
            limit.left.store(1, ordering: .relaxed)
        }
        let buffer = try pool.take()
        thread.join()
        #expect(!held.contains(buffer))
        for buffer in held + [buffer] { gst_buffer_unref(buffer) }
    }

    /// The pool plans three buffers, but the stream requires only `minimum` buffers.
    @Test(arguments: [(0, 0, false), (1, 0, true), (2, 3, false), (3, 3, true)])
    func startsWithFewerBuffersThanPlannedIfTheyAreEnough(memories: Int, minimum: guint, begins: Bool) {
        let pool = ScarcePool(memories, minimum: minimum)
        let isActive = gst_buffer_pool_is_active(pool.pool.raw) != 0
        #expect(isActive == begins)
        withExtendedLifetime(pool) {}
    }
}

/// A pool whose allocator creates a limited number of `GstMemory` objects.
private final class ScarcePool {
    final class Limit: Sendable {
        let left: Atomic<Int>
        init(_ count: Int) { left = Atomic(count) }
    }
    let pool = Pool()
    let limit: Limit

    init(_ count: Int, minimum: guint = 0) {
        limit = Limit(count)
        let allocator = UnsafeMutableRawPointer(g_object_new_with_properties(Self.type, 0, nil, nil)!)
        gst_object_ref_sink(allocator)
        g_object_set_qdata_full(
            allocator.assumingMemoryBound(to: GObject.self), Self.key, Unmanaged.passRetained(limit).toOpaque(),
            { Unmanaged<Limit>.fromOpaque($0!).release() })
        pool.configure(64, minimum) { config in
            gst_buffer_pool_config_set_allocator(config, allocator.assumingMemoryBound(to: GstAllocator.self), nil)
        }
        pool.activate()
        gst_object_unref(allocator)
    }

    deinit { pool.deactivate() }

    var counts: PoolCounts { pool.counts }
    func take() throws -> UnsafeMutablePointer<GstBuffer> { try pool.take() }
    func acquire(dontWait: Bool = false) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        pool.acquire(dontWait: dontWait)
    }

    private static let key = g_quark_from_static_string("swift-test-scarce")
    private static let type: GType = {
        var info = GTypeInfo()
        info.class_size = guint16(MemoryLayout<GstAllocatorClass>.stride)
        info.instance_size = guint16(MemoryLayout<GstAllocator>.stride)
        info.class_init = { gClass, _ in
            gClass!.assumingMemoryBound(to: GstAllocatorClass.self).pointee.alloc = { allocator, size, parameters in
                let data = g_object_get_qdata(
                    UnsafeMutableRawPointer(allocator!).assumingMemoryBound(to: GObject.self), ScarcePool.key)
                let limit = Unmanaged<Limit>.fromOpaque(data!).takeUnretainedValue()
                guard limit.left.subtract(1, ordering: .relaxed).newValue >= 0 else { return nil }
                return gst_allocator_alloc(nil, size, parameters)
            }
        }
        return g_type_register_static(
            gst_allocator_get_type(), "SwiftTestScarceAllocator", &info, GTypeFlags(rawValue: 0))
    }()
}
