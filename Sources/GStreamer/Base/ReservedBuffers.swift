import CGStreamer

/// Buffers of one size that are allocated in advance, and reused after their release.
///
/// Create it where memory may be allocated, such as in `configure`. The corresponding C type is `GstBufferPool`.
public final class ReservedBuffers: Sendable {
    private let handle: PoolHandle

    /// Allocates `count` buffers of `byteCount` bytes; nil if there is no memory.
    public init?(byteCount: Int, count: Int) {
        guard let size = guint(exactly: byteCount), let count = guint(exactly: count),
            let pool = gst_buffer_pool_new()
        else { return nil }
        handle = PoolHandle(taking: UnsafeMutableRawPointer(pool))
        let configuration = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(configuration, nil, size, count, 0)
        guard gst_buffer_pool_set_config(pool, configuration) != 0, gst_buffer_pool_set_active(pool, 1) != 0 else {
            return nil
        }
    }

    // Buffers that are in use keep the pool until their release.
    deinit { gst_buffer_pool_set_active(handle.pool, 0) }

    /// A buffer with undefined bytes; a new one is allocated if all are in use, nil if there is no memory.
    ///
    /// The corresponding C function is `gst_buffer_pool_acquire_buffer`.
    public func take() -> Buffer? {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        gst_buffer_pool_acquire_buffer(handle.pool, &buffer, nil)
        return buffer.map { Buffer(taking: $0) }
    }
}
