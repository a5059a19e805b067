import CGStreamer

/// A pool that provides buffers and reuses them after their release.
///
/// GStreamer calls the methods on any thread. Each method has a default that chains up to `GstBufferPool`.
///
/// The corresponding C class is `GstBufferPool`.
public protocol BufferPool: AnyObject, Object, Sendable {
    /// The options that a configuration may enable, such as `GstBufferPoolOptionVideoMeta`.
    static var options: [String] { get }

    /// The C instance of the pool.
    var host: BufferPoolHost { get }

    /// Creates the Swift object of a new C instance, on the thread that creates the instance.
    init(host: BufferPoolHost)

    /// Applies the configuration, which the method may change, and chains up; returns false to reject it.
    ///
    /// The corresponding C method is `set_config`.
    func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool

    /// Called when the pool is activated; returns false if that fails. The corresponding C method is `start`.
    func start() -> Bool
    /// Called when the pool is inactive and all buffers have been released; returns false if that fails.
    ///
    /// The corresponding C method is `stop`.
    func stop() -> Bool

    /// Returns a buffer; throws `.endOfStream` if none is free and `waits` is false.
    ///
    /// The corresponding C method is `acquire_buffer`.
    func acquire(waits: Bool) throws(FlowResult) -> Buffer
    /// Takes back a released buffer. The corresponding C method is `release_buffer`.
    func release(_ buffer: consuming Buffer)
    /// Allocates a buffer; throws if there is no memory. The corresponding C method is `alloc_buffer`.
    func allocate() throws(FlowResult) -> Buffer
    /// Called when `acquire` must not wait any longer. The corresponding C method is `flush_start`.
    func flushStart()
}

extension BufferPool {
    /// The default is no options.
    public static var options: [String] { [] }
    /// Chains up.
    public func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        host.parentSetConfiguration(configuration)
    }
    /// Chains up.
    public func start() -> Bool { host.succeeds { $1.pointee.start?($0) } }
    /// Chains up.
    public func stop() -> Bool { host.succeeds { $1.pointee.stop?($0) } }
    /// Chains up.
    public func acquire(waits: Bool) throws(FlowResult) -> Buffer {
        var parameters = GstBufferPoolAcquireParams()
        if !waits { parameters.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT }
        return try host.made { $1.pointee.acquire_buffer?($0, &$2, &parameters) }
    }
    /// Chains up.
    public func release(_ buffer: consuming Buffer) {
        let buffer = buffer.give()
        let isReleased: Void? =
            host.withUnsafePointer { parentClass(of: $0)?.pointee.release_buffer?($0, buffer) } ?? nil
        if isReleased == nil { gst_buffer_unref(buffer) }
    }
    /// Chains up.
    public func allocate() throws(FlowResult) -> Buffer {
        try host.made { $1.pointee.alloc_buffer?($0, &$2, nil) }
    }
    /// Does nothing.
    public func flushStart() {}
}

// MARK: - The class

/// The GType of `P`, registered on the first call; nil if another plugin has registered a type of the same name.
func bufferPoolType<P: BufferPool>(_: P.Type) -> GType? {
    let rows = P.Settings.properties
    return ObjectType.register(
        P.self, below: gst_buffer_pool_get_type(), rows: rows, initClass: setBufferPoolMethods,
        makeInstance: { raw, type in BufferPoolInstance<P>(raw, type, rows) })
}

extension GstBufferPool: ClassInstance { typealias Class = GstBufferPoolClass }

private final class BufferPoolInstance<P: BufferPool>: Instance {
    private let swiftPool: P

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<P.Settings>]) {
        swiftPool = P(host: BufferPoolHost(raw.assumingMemoryBound(to: GstBufferPool.self)))
        super.init(type, PropertyStoreOf(rows, host: ObjectHost(raw: raw), report: swiftPool.report))
    }

    override var pool: (any BufferPool)! { swiftPool }
    override var poolOptions: StringList? { StringList.interned(P.options) }

    override func acquire(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>, waits: Bool
    ) -> GstFlowReturn {
        flowReturn { () throws(FlowResult) in buffer.pointee = try swiftPool.acquire(waits: waits).give() }
    }
    override func release(_ buffer: UnsafeMutablePointer<GstBuffer>) { swiftPool.release(Buffer(taking: buffer)) }
}

private func setBufferPoolMethods(_ gClass: UnsafeMutableRawPointer) {
    let pool = gClass.assumingMemoryBound(to: GstBufferPoolClass.self)
    pool.pointee.get_options = { lend($0) { $0.poolOptions?.raw } }
    pool.pointee.set_config = { pool, config in
        lend(pool, config) { $0.pool.setConfiguration(PoolConfiguration(raw: $1)) }
    }
    pool.pointee.start = { lend($0) { $0.pool.start() } }
    pool.pointee.stop = { lend($0) { $0.pool.stop() } }
    pool.pointee.acquire_buffer = { pool, buffer, parameters in
        guard let buffer else { return GST_FLOW_ERROR }
        buffer.pointee = nil
        let flags = parameters?.pointee.flags.rawValue ?? 0
        let waits = flags & GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT.rawValue == 0
        return lend(pool) { $0.acquire(buffer, waits: waits) }
    }
    pool.pointee.release_buffer = { pool, buffer in
        guard let buffer else { return }
        lend(pool) { $0.release(buffer) }
    }
    pool.pointee.alloc_buffer = { pool, buffer, _ in
        guard let buffer else { return GST_FLOW_ERROR }
        return lend(pool) { instance in
            flowReturn { () throws(FlowResult) in buffer.pointee = try instance.pool.allocate().give() }
        }
    }
    pool.pointee.flush_start = { lend($0) { $0.pool.flushStart() } }
}
