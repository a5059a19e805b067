import CGStreamer

/// The C instance of a pool, which owns the Swift object and outlives it.
///
/// The corresponding C type is `GstBufferPool`.
public struct BufferPoolHost: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let pool: UnsafeMutablePointer<GstBufferPool>

    /// Whether the pool is flushing, so that `acquire` must fail.
    ///
    /// The corresponding C macro is `GST_BUFFER_POOL_IS_FLUSHING`.
    public var isFlushing: Bool { cgst_pool_is_flushing(pool) != 0 }

    /// Chains up to `set_config` of `GstBufferPool`, which stores the configuration.
    public func parentSetConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        parent?.pointee.set_config?(pool, configuration.raw) ?? 0 != 0
    }

    /// Calls `body` with the `GstBufferPool`.
    ///
    /// The Swift pool may keep the pointer, because the C instance outlives it.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(pool) }

    var parent: UnsafeMutablePointer<GstBufferPoolClass>? { parentClass(of: pool) }

    /// Calls a C method with `make` and returns the buffer of that method; throws its flow return if it fails.
    func made(
        _ make: (inout UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn?
    ) throws(FlowResult) -> Buffer {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        let result = make(&buffer) ?? GST_FLOW_ERROR
        guard result == GST_FLOW_OK, let buffer else { throw FlowResult(result) }
        return Buffer(taking: buffer)
    }
}
