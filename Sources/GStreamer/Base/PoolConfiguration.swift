public import CGStreamer

/// The configuration of a pool; valid during `setConfiguration`.
///
/// The corresponding C type is `GstStructure`, as `gst_buffer_pool_config_set_params` writes it.
public struct PoolConfiguration: ~Copyable {
    let raw: UnsafeMutablePointer<GstStructure>

    /// Caps, size of a buffer, and minimum and maximum number of buffers; a nil `maximum` means no limit.
    ///
    /// Nil if the configuration has no parameters.
    public var parameters: (caps: Caps?, byteCount: Int, minimum: Int, maximum: Int?)? {
        var caps: UnsafeMutablePointer<GstCaps>?
        var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
        guard gst_buffer_pool_config_get_params(raw, &caps, &size, &minimum, &maximum) != 0 else { return nil }
        return (caps.map { Caps($0) }, Int(size), Int(minimum), maximum == 0 ? nil : Int(maximum))
    }

    /// Calls `body` with the `GstStructure`, which may be modified.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstStructure>) throws -> R) rethrows -> R {
        try body(raw)
    }
}
