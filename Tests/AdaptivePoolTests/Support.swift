import CGStreamer
import GstTestSupport
import Testing

@testable import AdaptivePool
@testable import ElasticPool
@testable import GStreamer

/// A pool that is created by the name of its type and configured with a structure, as in a C program.
final class Pool: @unchecked Sendable {  // A buffer pool may be used from any thread.
    let raw: UnsafeMutablePointer<GstBufferPool>

    init() {
        _ = Setup.once
        raw = UnsafeMutableRawPointer(
            g_object_new_with_properties(g_type_from_name("GstAdaptiveBufferPool"), 0, nil, nil)!
        )
        .assumingMemoryBound(to: GstBufferPool.self)
        gst_object_ref_sink(raw)
    }

    convenience init(
        _ size: guint, _ minimum: guint = 0, _ maximum: guint = 0, caps: String? = "test/data", isActive: Bool = true
    ) {
        self.init()
        configure(size, minimum, maximum, caps: caps)
        if isActive { activate() }
    }

    deinit { gst_object_unref(raw) }

    @discardableResult
    func configure(
        _ size: guint, _ minimum: guint = 0, _ maximum: guint = 0, caps text: String? = "test/data",
        _ change: (UnsafeMutablePointer<GstStructure>) -> Void = { _ in }
    ) -> Bool {
        let config = gst_buffer_pool_get_config(raw)!
        let caps = text.flatMap { gst_caps_from_string($0) }
        gst_buffer_pool_config_set_params(config, caps, size, minimum, maximum)
        change(config)
        if let caps { gst_caps_unref(caps) }
        return gst_buffer_pool_set_config(raw, config) != 0
    }

    @discardableResult
    func activate() -> Bool { gst_buffer_pool_set_active(raw, 1) != 0 }
    func deactivate() { gst_buffer_pool_set_active(raw, 0) }

    func acquire(dontWait: Bool = false) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        var parameters = GstBufferPoolAcquireParams()
        if dontWait { parameters.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT }
        return (gst_buffer_pool_acquire_buffer(raw, &buffer, &parameters), buffer)
    }

    func take() throws -> UnsafeMutablePointer<GstBuffer> { try #require(acquire().1) }

    /// Runs `body` on another thread as soon as an acquire waits.
    func whenAnAcquireWaits(_ body: @escaping @Sendable () -> Void) -> TestThread {
        TestThread { [self] in
            if !eventually({ counts.waiting > 0 }) { Issue.record("no acquire waits") }
            body()
        }
    }

    /// The Swift object of the C instance.
    var adaptive: AdaptiveBufferPool { AdaptiveBufferPool.object(behind: raw)! }
    var elastic: ElasticPool { adaptive.elastic }
    var counts: PoolCounts { elastic.counts }
}

/// Counts the watched buffers that were freed.
final class Freed: @unchecked Sendable {  // Only one thread at a time uses an instance.
    private(set) var count = 0

    func watch(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let note: GDestroyNotify = { Unmanaged<Freed>.fromOpaque($0!).takeRetainedValue().count += 1 }
        gst_mini_object_set_qdata(
            UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self),
            g_quark_from_static_string("swift-test-freed"), Unmanaged.passRetained(self).toOpaque(), note)
    }
}

extension ElasticPool {
    private var activation: PoolActivation { PoolActivation(generation: locked { $0.generation }) }

    func isSpare(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool { locked { $0.spareInUse == buffer } }

    func resize(to size: Int, limit: Int) { resize(to: size, limit: limit, in: activation) }

    func allow(upTo limit: Int, whenEmpty: WhenEmpty) { allow(upTo: limit, whenEmpty: whenEmpty, in: activation) }
}
