public import CGStreamer

/// The configuration of a pool; valid during `setConfiguration`.
///
/// The corresponding C type is `GstStructure`, as `gst_buffer_pool_config_set_params` writes it.
public struct PoolConfiguration: ~Copyable {
    let raw: UnsafeMutablePointer<GstStructure>

    /// Calls `body` with the `GstStructure`, which may be modified.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstStructure>) throws -> R) rethrows -> R {
        try body(raw)
    }
}
