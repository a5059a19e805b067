import CGStreamer

/// A pool that hands out buffers and takes them back.
///
/// One object stands behind each C instance. Any thread may call it.
///
/// The corresponding C class is `GstBufferPool`.
public protocol BufferPool: AnyObject, Sendable {
    /// The name of the GType, such as `GstAdaptiveBufferPool`.
    static var typeName: String { get }

    /// The options that a configuration may contain, such as `GstBufferPoolOptionVideoMeta`.
    static var options: [String] { get }

    /// The C instance that owns the pool.
    var host: BufferPoolHost { get }

    /// Makes the pool of a new C instance.
    init(host: BufferPoolHost)

    /// Takes a configuration, or returns false; may change it before it chains up.
    ///
    /// The corresponding C method is `set_config`.
    func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool

    /// Called when the pool is activated; returns false when it cannot be.
    ///
    /// The corresponding C method is `start`.
    func start() -> Bool

    /// Called when the pool is deactivated and all buffers have been released.
    ///
    /// The corresponding C method is `stop`.
    func stop() -> Bool

    /// Hands out a buffer; throws `.endOfStream` when there is none and `waits` is false.
    ///
    /// The corresponding C method is `acquire_buffer`.
    func acquire(waits: Bool) throws(FlowResult) -> Buffer

    /// Takes back a buffer.
    ///
    /// The corresponding C method is `release_buffer`.
    func release(_ buffer: consuming Buffer)

    /// Makes a buffer that the pool does not count.
    ///
    /// The corresponding C method is `alloc_buffer`.
    func allocate() throws(FlowResult) -> Buffer

    /// Called when acquires that wait must return `.flushing`.
    ///
    /// The corresponding C method is `flush_start`.
    func flushStart()
}

/// The C instance of a pool; it owns the pool, so it outlives it.
///
/// The corresponding C type is `GstBufferPool`.
public struct BufferPoolHost: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let pool: UnsafeMutablePointer<GstBufferPool>

    /// Stores a configuration as `GstBufferPool` does.
    public func parentSetConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        g_type_class_peek(gst_buffer_pool_get_type())?.assumingMemoryBound(to: GstBufferPoolClass.self)
            .pointee.set_config?(pool, configuration.raw) ?? 0 != 0
    }
}

/// The configuration that a user of a pool requests; valid during `setConfiguration`.
///
/// The corresponding C type is `GstStructure`, as written by `gst_buffer_pool_config_set_params`.
public struct PoolConfiguration: ~Copyable {
    let raw: UnsafeMutablePointer<GstStructure>
}

extension FlowResult: Error {}
