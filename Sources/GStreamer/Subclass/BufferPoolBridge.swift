import CGStreamer

/// A pool that `Kind` runs, as GStreamer knows it.
///
/// All copies share one reference. The corresponding C type is `GstBufferPool`.
public struct PoolReference<Kind: BufferPoolKind>: Sendable {
    /// The object that runs the pool.
    public let kind: Kind
    let handle: PoolHandle

    /// A new pool, neither configured nor active; nil when its type could not be registered.
    public init?() {
        guard let type = bufferPoolType(BufferPoolBoxOf<Kind>.self),
            let raw = g_object_new_with_properties(type, 0, nil, nil)
        else { return nil }
        handle = PoolHandle(taking: UnsafeMutableRawPointer(gst_object_ref_sink(raw)!))
        guard let kind = BufferPoolBox.of(handle.pool).kind as? Kind else { return nil }
        self.kind = kind
    }
}

/// Registers the GType of a pool, so that `g_type_from_name` finds it; false when the name is taken.
public func registerBufferPool<Kind: BufferPoolKind>(_: Kind.Type) -> Bool {
    bufferPoolType(BufferPoolBoxOf<Kind>.self) != nil
}

/// One reference to a pool.
final class PoolHandle: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let pool: UnsafeMutablePointer<GstBufferPool>

    init(taking raw: UnsafeMutableRawPointer) { pool = raw.assumingMemoryBound(to: GstBufferPool.self) }
    deinit { gst_object_unref(pool) }
}

/// An elastic pool as a `BufferPool`, and the object that runs it.
class BufferPoolBox: @unchecked Sendable {  // `ElasticPool` guards itself.
    let host: BufferPoolHost
    let elastic: ElasticPool
    let kind: any BufferPoolKind

    init(host: BufferPoolHost, elastic: ElasticPool, kind: any BufferPoolKind) {
        (self.host, self.elastic, self.kind) = (host, elastic, kind)
        elastic.kind = kind
    }

    /// The one behind a pool of ours.
    static func of(_ pool: UnsafeMutablePointer<GstBufferPool>) -> BufferPoolBox {
        // The caller has made the pool, or asked `find`.
        find(pool)!
    }

    /// Nil for pools of others.
    static func find(_ pool: UnsafeMutablePointer<GstBufferPool>) -> BufferPoolBox? {
        ObjectType.instance(pool)?.pool as? BufferPoolBox
    }
}

private final class BufferPoolBoxOf<Kind: BufferPoolKind>: BufferPoolBox, BufferPool, @unchecked Sendable {
    static var typeName: String { Kind.typeName }
    static var options: [String] { PoolRecipe.options }

    init(host: BufferPoolHost) {
        let elastic = ElasticPool()
        super.init(host: host, elastic: elastic, kind: Kind(pool: elastic))
    }

    func setConfiguration(_ configuration: borrowing PoolConfiguration) -> Bool {
        guard let recipe = PoolRecipe(configuration.raw), host.parentSetConfiguration(configuration) else {
            return false
        }
        // The old one is freed outside the lock.
        let old = elastic.locked { state in
            let old = state.recipe
            state.recipe = recipe
            state.counts.bytesInBuffer = Int(recipe.size)
            return old
        }
        withExtendedLifetime(old) {}
        return true
    }

    func start() -> Bool { elastic.start() }

    func stop() -> Bool {
        elastic.stop()
        // What a thread of the pool is just making is freed when it is made.
        return true
    }

    func acquire(waits: Bool) throws(FlowResult) -> Buffer {
        let (result, buffer) = elastic.acquire(host.pool, dontWait: !waits)
        guard let buffer else { throw FlowResult(result) }
        return Buffer(taking: buffer)
    }

    func release(_ buffer: consuming Buffer) {
        let buffer = buffer.give()
        if elastic.release(buffer) { gst_buffer_unref(buffer) }
    }

    func allocate() throws(FlowResult) -> Buffer {
        guard let buffer = elastic.makeLoose() else { throw .error }
        return Buffer(taking: buffer)
    }

    func flushStart() { elastic.wakeAll() }
}
