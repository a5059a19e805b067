public import CGStreamer

/// Registers the GType of a pool, so that `g_type_from_name` finds it; false if another plugin has registered its name.
public func registerBufferPool<P: BufferPool>(_: P.Type) -> Bool { bufferPoolType(P.self) != nil }

extension BufferPool {
    /// The Swift object of a `GstBufferPool`; nil if the pool is of another class.
    public static func object(behind pool: UnsafeMutablePointer<GstBufferPool>) -> Self? {
        swiftPool(behind: pool) as? Self
    }
}

/// The Swift object of a C pool; nil if its class is not written in Swift.
func swiftPool(behind pool: UnsafeMutablePointer<GstBufferPool>) -> (any BufferPool)? {
    ObjectType.instance(UnsafeMutableRawPointer(pool))?.pool
}

extension Buffer {
    /// The pool that the buffer comes from; nil if there is none, or if it is not of class `P`.
    public func pool<P: BufferPool>(_: P.Type) -> P? { raw.pointee.pool.flatMap { swiftPool(behind: $0) } as? P }

    /// The class name of the pool that the buffer comes from; nil if the buffer is not from a pool.
    public var poolName: String? { raw.pointee.pool.map { String(cString: cgst_type_name_of($0)) } }
}

/// A reference to a pool whose class is written in Swift.
///
/// All copies share one reference. The corresponding C type is `GstBufferPool`.
public struct PoolReference<P: BufferPool>: Sendable {
    /// The Swift object of the C instance.
    public let pool: P
    let handle: PoolHandle

    /// Creates a pool that is not configured or active yet; nil if the type of the pool cannot be registered.
    public init?() {
        guard let type = bufferPoolType(P.self), let raw = g_object_new_with_properties(type, 0, nil, nil) else {
            return nil
        }
        handle = PoolHandle(taking: UnsafeMutableRawPointer(gst_object_ref_sink(raw)!))
        guard let pool = swiftPool(behind: handle.pool) as? P else { return nil }
        self.pool = pool
    }

    /// Deactivates the pool: unused buffers are freed now, and buffers in use at their release.
    ///
    /// The corresponding C function is `gst_buffer_pool_set_active`.
    public func deactivate() { gst_buffer_pool_set_active(handle.pool, 0) }

    /// Acquires a buffer; waits if none is available, and throws `.flushing` if the pool is not active.
    ///
    /// The corresponding C function is `gst_buffer_pool_acquire_buffer`.
    public func acquire() throws(FlowResult) -> Buffer {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        let result = gst_buffer_pool_acquire_buffer(handle.pool, &buffer, nil)
        guard let buffer else { throw FlowResult(result) }
        return Buffer(taking: buffer)
    }

    /// Calls `body` with the C pool.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstBufferPool>) throws -> R) rethrows -> R {
        try body(handle.pool)
    }
}

/// One reference to a C pool.
final class PoolHandle: @unchecked Sendable {  // The pointer is passed only to functions that are MT safe.
    let pool: UnsafeMutablePointer<GstBufferPool>

    init(taking raw: UnsafeMutableRawPointer) { pool = raw.assumingMemoryBound(to: GstBufferPool.self) }
    deinit { gst_object_unref(pool) }
}

/// A weak reference to a pool.
///
/// Any thread may use the reference. The corresponding C type is `GWeakRef`.
public final class WeakPool<P: BufferPool>: Sendable {
    private let reference: WeakReference

    /// A weak reference to `pool`.
    public init(_ pool: PoolReference<P>) { reference = WeakReference(pool.handle.pool) }

    /// Calls `body` with the pool; returns nil if the pool no longer exists.
    ///
    /// The call may release the last reference to the pool, so the caller must hold no mutex.
    @discardableResult
    public func lend<R>(_ body: (P) -> R) -> R? {
        let result = reference.lend { P.object(behind: $0.assumingMemoryBound(to: GstBufferPool.self)).map(body) }
        return result ?? nil
    }

    /// Whether the pool still exists.
    public var isAlive: Bool { lend { _ in } != nil }
}
