import CGStreamer

/// A pool that hands out buffers and takes them back.
///
/// Any thread may call it. Each method has a default that does what `GstBufferPool` does.
///
/// The corresponding C class is `GstBufferPool`.
public protocol BufferPool: AnyObject, Object, Sendable {
    /// The options that a configuration may ask for, such as `GstBufferPoolOptionVideoMeta`.
    static var options: [String] { get }

    /// The C instance that the pool belongs to.
    var host: BufferPoolHost { get }

    /// Makes the pool of a new C instance.
    init(host: BufferPoolHost)

    /// Takes a configuration, or returns false; it may change what the caller asked for. Chain up.
    ///
    /// The corresponding C method is `set_config`.
    func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool

    /// Called when the pool is activated; false when it cannot be. The corresponding C method is `start`.
    func start() -> Bool
    /// Called when the pool is deactivated and all buffers have come back. The corresponding C method is `stop`.
    func stop() -> Bool

    /// Hands out a buffer; when there is none and `waits` is false, it throws `.endOfStream`.
    ///
    /// The corresponding C method is `acquire_buffer`.
    func acquire(waits: Bool) throws(FlowResult) -> Buffer
    /// Takes back a buffer. The corresponding C method is `release_buffer`.
    func release(_ buffer: consuming Buffer)
    /// Makes a buffer; throws when there is no memory. The corresponding C method is `alloc_buffer`.
    func allocate() throws(FlowResult) -> Buffer
    /// Called when acquires must not wait any longer. The corresponding C method is `flush_start`.
    func flushStart()
}

extension BufferPool {
    /// None.
    public static var options: [String] { [] }
    /// Chains up.
    public func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        host.parentSetConfiguration(configuration)
    }
    /// Chains up.
    public func start() -> Bool { host.parent?.pointee.start?(host.pool) ?? 0 != 0 }
    /// Chains up.
    public func stop() -> Bool { host.parent?.pointee.stop?(host.pool) ?? 0 != 0 }
    /// Chains up.
    public func acquire(waits: Bool) throws(FlowResult) -> Buffer {
        var parameters = GstBufferPoolAcquireParams()
        if !waits { parameters.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT }
        return try host.made { host.parent?.pointee.acquire_buffer?(host.pool, &$0, &parameters) }
    }
    /// Chains up.
    public func release(_ buffer: consuming Buffer) { host.parent?.pointee.release_buffer?(host.pool, buffer.give()) }
    /// Chains up.
    public func allocate() throws(FlowResult) -> Buffer {
        try host.made { host.parent?.pointee.alloc_buffer?(host.pool, &$0, nil) }
    }
    /// Does nothing.
    public func flushStart() {}
}

/// The C instance of a pool; it owns the pool, so it outlives it.
///
/// The corresponding C type is `GstBufferPool`.
public struct BufferPoolHost: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let pool: UnsafeMutablePointer<GstBufferPool>

    /// Whether acquires must fail because the pool flushes.
    public var isFlushing: Bool { cgst_pool_is_flushing(pool) != 0 }

    /// Does what `GstBufferPool` does with a configuration: it keeps it.
    public func parentSetConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        parent?.pointee.set_config?(pool, configuration.raw) ?? 0 != 0
    }

    fileprivate var parent: UnsafeMutablePointer<GstBufferPoolClass>? {
        parentClass(of: pool, GstBufferPoolClass.self)
    }

    fileprivate func made(
        _ make: (inout UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn?
    ) throws(FlowResult) -> Buffer {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        let result = make(&buffer) ?? GST_FLOW_ERROR
        guard result == GST_FLOW_OK, let buffer else { throw FlowResult(result) }
        return Buffer(taking: buffer)
    }
}

/// The configuration of a pool; valid during `setConfiguration`.
///
/// The corresponding C type is `GstStructure`, as `gst_buffer_pool_config_set_params` writes it.
public struct PoolConfiguration: ~Copyable {
    let raw: UnsafeMutablePointer<GstStructure>

    /// The caps, the bytes in a buffer, and the least and the greatest number of buffers; nil is no limit.
    ///
    /// Nil when they are missing.
    public var parameters: (caps: Caps?, byteCount: Int, minimum: Int, maximum: Int?)? {
        var caps: UnsafeMutablePointer<GstCaps>?
        var (size, minimum, maximum): (guint, guint, guint) = (0, 0, 0)
        guard gst_buffer_pool_config_get_params(raw, &caps, &size, &minimum, &maximum) != 0 else { return nil }
        return (caps.map { Caps($0) }, Int(size), Int(minimum), maximum == 0 ? nil : Int(maximum))
    }

    /// Changes what was asked for.
    public func setParameters(caps: Caps?, byteCount: Int, minimum: Int, maximum: Int?) {
        gst_buffer_pool_config_set_params(
            raw, caps?.raw, guint(clamping: byteCount), guint(clamping: minimum), guint(clamping: maximum ?? 0))
    }

    /// Whether an option of `BufferPool.options` is asked for.
    public func hasOption(_ option: String) -> Bool { gst_buffer_pool_config_has_option(raw, option) != 0 }
}

// MARK: - The class

/// The GType of `P`, registered on the first call; nil when its name is taken.
func bufferPoolType<P: BufferPool>(_: P.Type) -> GType? {
    let rows = P.Settings.properties
    // GStreamer keeps the list.
    let options = PoolOptions(P.options)
    return ObjectType.register(
        P.self, below: gst_buffer_pool_get_type(), rows: rows, initClass: setBufferPoolMethods,
        makeInstance: { raw, type in BufferPoolInstance<P>(raw, type, rows, options) })
}

/// A list of names that lives as long as the process.
final class PoolOptions: @unchecked Sendable {  // Nothing changes after `init`.
    let list: UnsafeMutablePointer<UnsafePointer<gchar>?>

    init(_ options: [String]) {
        list = .allocate(capacity: options.count + 1)
        for (index, option) in options.enumerated() { (list + index).initialize(to: g_intern_string(option)) }
        (list + options.count).initialize(to: nil)
    }
}

private final class BufferPoolInstance<P: BufferPool>: Instance {
    private let swiftPool: P
    private let options: PoolOptions

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<P.Settings>], _ options: PoolOptions) {
        swiftPool = P(host: BufferPoolHost(pool: raw.assumingMemoryBound(to: GstBufferPool.self)))
        self.options = options
        super.init(type, PropertyStoreOf(rows, host: ObjectHost(raw: raw), report: swiftPool.report))
    }

    override var pool: (any BufferPool)! { swiftPool }
    override var poolOptions: UnsafeMutablePointer<UnsafePointer<gchar>?>? { options.list }
}

private func setBufferPoolMethods(_ gClass: UnsafeMutableRawPointer) {
    let pool = gClass.assumingMemoryBound(to: GstBufferPoolClass.self)
    pool.pointee.get_options = { pool in lend(pool) { $0.poolOptions } }
    pool.pointee.set_config = { pool, config in
        guard let config else { return 0 }
        return lend(pool) { $0.pool.setConfiguration(PoolConfiguration(raw: config)) ? 1 : 0 }
    }
    pool.pointee.start = { pool in lend(pool) { $0.pool.start() ? 1 : 0 } }
    pool.pointee.stop = { pool in lend(pool) { $0.pool.stop() ? 1 : 0 } }
    pool.pointee.acquire_buffer = { pool, buffer, parameters in
        guard let buffer else { return GST_FLOW_ERROR }
        let waits =
            parameters.map { $0.pointee.flags.rawValue & GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT.rawValue == 0 } ?? true
        return lend(pool) { instance in
            do throws(FlowResult) {
                buffer.pointee = try instance.pool.acquire(waits: waits).give()
                return GST_FLOW_OK
            } catch {
                buffer.pointee = nil
                return error.raw
            }
        }
    }
    pool.pointee.release_buffer = { pool, buffer in
        guard let buffer else { return }
        lend(pool) { $0.pool.release(Buffer(taking: buffer)) }
    }
    pool.pointee.alloc_buffer = { pool, buffer, _ in
        guard let buffer else { return GST_FLOW_ERROR }
        return lend(pool) { instance in
            do throws(FlowResult) {
                buffer.pointee = try instance.pool.allocate().give()
                return GST_FLOW_OK
            } catch {
                return error.raw
            }
        }
    }
    pool.pointee.flush_start = { pool in lend(pool) { $0.pool.flushStart() } }
}
