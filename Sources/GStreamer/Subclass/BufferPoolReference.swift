import CGStreamer

extension Buffer {
    /// The object that runs the pool that the buffer comes from, when it is a `Kind`.
    public func source<Kind: BufferPoolKind>(_: Kind.Type) -> Kind? {
        raw.pointee.pool.flatMap { BufferPoolBox.find($0) }?.kind as? Kind
    }

    /// The name of the type of the pool that the buffer comes from; nil when it comes from none.
    public var poolName: String? { raw.pointee.pool.map { String(cString: cgst_type_name_of($0)) } }

    /// Notes that the buffer passes on; true when it was handed out to be thrown away, see `WhenEmpty.drop`.
    public func isToBeDropped(by pool: ElasticPool) -> Bool { pool.passed(raw) }
}

extension PoolReference {
    /// Configures the pool for frames of `caps` and activates it; false when that is not possible.
    public func activate(_ caps: Caps, for demand: AllocationQuery.Demand) -> Bool {
        guard let config = gst_buffer_pool_get_config(handle.pool) else { return false }
        var parameters = demand.parameters
        gst_buffer_pool_config_set_params(
            config, caps.raw, guint(clamping: max(caps.bytesInFrame, demand.bytesInBuffer)),
            guint(clamping: demand.minimum), 0)
        gst_buffer_pool_config_set_allocator(config, nil, &parameters)
        guard gst_buffer_pool_set_config(handle.pool, config) != 0 else { return false }
        return gst_buffer_pool_set_active(handle.pool, 1) != 0
    }

    /// Gives all buffers back; those in use when they return.
    public func deactivate() { gst_buffer_pool_set_active(handle.pool, 0) }

    /// A copy of a frame of `caps` in a buffer of this pool; when there is none, `host` posts why.
    public func copy(of frame: borrowing Buffer, _ caps: Caps, for host: ElementHost) throws(FlowResult) -> Buffer {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        let result = gst_buffer_pool_acquire_buffer(handle.pool, &buffer, nil)
        guard let buffer else { throw result == GST_FLOW_FLUSHING ? .flushing : host.fail(Self.noMemory) }
        let copy = Buffer(taking: buffer)
        guard var picture = caps.picture, cgst_picture_copy(copy.raw, frame.raw, &picture) != 0 else {
            throw host.fail(.stream(.format, "A video frame is smaller than its description says."))
        }
        return copy
    }

    /// Whether a copy is to be thrown away; see `WhenEmpty.drop`.
    ///
    /// Notes that the copy passes on.
    public func isSpare(_ copy: borrowing Buffer) -> Bool {
        BufferPoolBox.of(handle.pool).elastic.passed(copy.raw)
    }

    private static var noMemory: ElementError {
        .resource(.noSpaceLeft, "There is no memory left for video frames.")
    }
}

/// A pool that others remember without keeping it alive.
///
/// Any thread may use it. The corresponding C type is `GWeakRef`.
public final class WeakPool: @unchecked Sendable {  // GObject guards weak references itself.
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    public init<Kind>(_ pool: PoolReference<Kind>) {
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, pool.handle.pool)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// Whether the pool still exists.
    public var isAlive: Bool {
        guard let raw = g_weak_ref_get(reference) else { return false }
        gst_object_unref(raw)
        return true
    }

    /// Forbids acquires to wait while the stream flushes or stops, or allows it again; hold no lock.
    ///
    /// The pool itself is not set flushing: its user upstream would take that for an error when it is not flushed yet.
    public func hurry(_ isHurried: Bool) {
        guard let raw = g_weak_ref_get(reference) else { return }
        BufferPoolBox.of(raw.assumingMemoryBound(to: GstBufferPool.self)).elastic.hurry(isHurried)
        gst_object_unref(raw)
    }
}

extension ElasticPool {
    func isSpare(_ buffer: RawBuffer) -> Bool { locked { $0.spareInUse == buffer } }

    /// Notes that the element has passed `buffer` on; true when it is to be thrown away instead.
    func passed(_ buffer: RawBuffer) -> Bool {
        locked { state in
            state.shelf.markPassed(buffer)
            return state.spareInUse == buffer
        }
    }
}
