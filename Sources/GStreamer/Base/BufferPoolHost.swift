public import CGStreamer

/// A weak reference to the C instance of a pool; the C instance owns the Swift object.
///
/// Any thread may use the host. After the pool is finalized, the functions of the host fail. The corresponding C types
/// are `GstBufferPool` and `GWeakRef`.
public struct BufferPoolHost: Sendable {
    private let reference: WeakReference

    init(_ pool: UnsafeMutablePointer<GstBufferPool>) { reference = WeakReference(pool) }

    /// Whether the pool is flushing, so that `acquire` must fail; true if the pool no longer exists.
    ///
    /// The corresponding C macro is `GST_BUFFER_POOL_IS_FLUSHING`.
    public var isFlushing: Bool { withUnsafePointer { cgst_pool_is_flushing($0) != 0 } ?? true }

    /// Chains up to `set_config` of `GstBufferPool`, which stores the configuration; false if it is not valid.
    public func parentSetConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        let configuration = configuration.raw
        return succeeds { $1.pointee.set_config?($0, configuration) }
    }

    /// Calls `body` with the C instance; returns nil if the instance no longer exists.
    ///
    /// The Swift pool may store the pointer, because the C instance outlives the Swift object.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstBufferPool>) throws -> R) rethrows -> R? {
        try reference.lend { try body($0.assumingMemoryBound(to: GstBufferPool.self)) }
    }

    /// Calls a method of the parent class; false if the method fails or does not exist.
    func succeeds(
        _ call: (UnsafeMutablePointer<GstBufferPool>, UnsafeMutablePointer<GstBufferPoolClass>) -> gboolean?
    ) -> Bool {
        let result = withUnsafePointer { pool in parentClass(of: pool).flatMap { call(pool, $0) } } ?? nil
        return result ?? 0 != 0
    }

    /// Calls a method of the parent class and returns its buffer; throws the flow return if the method fails.
    func made(
        _ make: (
            UnsafeMutablePointer<GstBufferPool>, UnsafeMutablePointer<GstBufferPoolClass>,
            inout UnsafeMutablePointer<GstBuffer>?
        ) -> GstFlowReturn?
    ) throws(FlowResult) -> Buffer {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        let made =
            withUnsafePointer { pool in
                parentClass(of: pool).flatMap { make(pool, $0, &buffer) }
            } ?? nil
        let result = made ?? GST_FLOW_ERROR
        guard result == GST_FLOW_OK, let buffer else { throw FlowResult(result) }
        return Buffer(taking: buffer)
    }
}
