import CGStreamer
import Synchronization

/// A pool that `Kind` runs, as GStreamer knows it.
///
/// All copies share one reference. The corresponding C type is `GstBufferPool`.
public struct PoolReference<Kind: BufferPoolKind>: Sendable {
    public let kind: Kind
    let handle: PoolHandle

    /// A new pool, neither configured nor active; nil when its type could not be registered.
    public init?() {
        guard let type = BufferPoolBlueprint.type(of: Kind.self),
            let raw = g_object_new_with_properties(type, 0, nil, nil)
        else { return nil }
        handle = PoolHandle(taking: UnsafeMutableRawPointer(gst_object_ref_sink(raw)!))
        let box = BufferPoolBox.of(handle.pool)
        guard let kind = box.kind as? Kind else { return nil }
        self.kind = kind
    }
}

/// Registers the GType of a pool, so that `g_type_from_name` finds it.
public func registerBufferPool<Kind: BufferPoolKind>(_: Kind.Type) -> Bool {
    BufferPoolBlueprint.type(of: Kind.self) != nil
}

/// One reference to a pool.
final class PoolHandle: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let pool: UnsafeMutablePointer<GstBufferPool>

    init(taking raw: UnsafeMutableRawPointer) { pool = raw.assumingMemoryBound(to: GstBufferPool.self) }
    deinit { gst_object_unref(pool) }
}

// MARK: - Per class

class BufferPoolBlueprint: @unchecked Sendable {  // Nothing changes after `init`.
    static let key = g_quark_from_static_string("gst-plugins-swift-pool-blueprint")
    private static let registration = Mutex(())

    func makeKind(_ pool: ElasticPool) -> (any BufferPoolKind)? { nil }

    static func type<Kind: BufferPoolKind>(of _: Kind.Type) -> GType? {
        registration.withLock { _ in
            let known = g_type_from_name(Kind.typeName)
            if known != cgst_type_invalid() {
                return g_type_is_a(known, gst_buffer_pool_get_type()) != 0 ? known : nil
            }
            var info = GTypeInfo()
            info.class_size = guint16(MemoryLayout<GstBufferPoolClass>.stride)
            info.class_init = { gClass, _ in initClass(gClass) }
            info.instance_size = InstanceSlot<GstBufferPool>.instanceSize
            info.instance_init = { initInstance($0, of: $1) }
            let type = g_type_register_static(
                gst_buffer_pool_get_type(), Kind.typeName, &info, GTypeFlags(rawValue: 0))
            guard type != cgst_type_invalid() else { return nil }
            // The type lives as long as the process, and so does its blueprint.
            g_type_set_qdata(type, key, Unmanaged.passRetained(BufferPoolBlueprintOf<Kind>()).toOpaque())
            return type
        }
    }

    static func of(_ type: GType) -> BufferPoolBlueprint? {
        g_type_get_qdata(type, key).map { Unmanaged<BufferPoolBlueprint>.fromOpaque($0).takeUnretainedValue() }
    }
}

private final class BufferPoolBlueprintOf<Kind: BufferPoolKind>: BufferPoolBlueprint, @unchecked Sendable {
    override func makeKind(_ pool: ElasticPool) -> (any BufferPoolKind)? { Kind(pool: pool) }
}

/// What hangs behind a C instance.
final class BufferPoolBox {
    let elastic: ElasticPool
    let kind: any BufferPoolKind

    init(_ elastic: ElasticPool, _ kind: any BufferPoolKind) {
        self.elastic = elastic
        self.kind = kind
    }

    static func of(_ pool: UnsafeMutablePointer<GstBufferPool>) -> BufferPoolBox {
        InstanceSlot<GstBufferPool>(in: pool).lend(BufferPoolBox.self) { $0 }
    }
}

// MARK: - Entry points from C

private func initClass(_ gClass: UnsafeMutableRawPointer?) {
    guard let gClass else { return }
    gClass.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = { finalize($0) }
    let pool = gClass.assumingMemoryBound(to: GstBufferPoolClass.self)
    pool.pointee.get_options = { _ in PoolRecipe.options }
    pool.pointee.set_config = { pool, config in setConfig(pool, config) }
    pool.pointee.start = { pool in lend(pool) { $0.elastic.start() ? 1 : 0 } }
    pool.pointee.stop = { pool in
        lend(pool) { $0.elastic.stop() }
        // What a thread of the pool is just making is freed when it is made.
        return 1
    }
    pool.pointee.acquire_buffer = { pool, buffer, parameters in
        guard let pool, let buffer else { return GST_FLOW_ERROR }
        let dontWait =
            parameters.map {
                $0.pointee.flags.rawValue & GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT.rawValue != 0
            } ?? false
        return lend(pool) { box in
            let (result, acquired) = box.elastic.acquire(pool, dontWait: dontWait)
            buffer.pointee = acquired
            return result
        }
    }
    pool.pointee.release_buffer = { pool, buffer in
        guard let buffer else { return }
        if lend(pool, { $0.elastic.release(buffer) }) { gst_buffer_unref(buffer) }
    }
    pool.pointee.alloc_buffer = { pool, buffer, _ in
        guard let buffer else { return GST_FLOW_ERROR }
        buffer.pointee = lend(pool) { $0.elastic.makeLoose() }
        return buffer.pointee == nil ? GST_FLOW_ERROR : GST_FLOW_OK
    }
    pool.pointee.flush_start = { pool in lend(pool) { $0.elastic.wakeAll() } }
}

private func setConfig(
    _ pool: UnsafeMutablePointer<GstBufferPool>?, _ config: UnsafeMutablePointer<GstStructure>?
) -> gboolean {
    guard let pool, let config, let recipe = PoolRecipe(config) else { return 0 }
    guard parentClass?.pointee.set_config?(pool, config) ?? 0 != 0 else { return 0 }
    // The old one is freed outside the lock.
    let old = lend(pool) { box in
        box.elastic.locked { state in
            let old = state.recipe
            state.recipe = recipe
            state.counts.bytesInBuffer = Int(recipe.size)
            return old
        }
    }
    withExtendedLifetime(old) {}
    return 1
}

private func initInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, of gClass: UnsafeMutableRawPointer?) {
    guard let instance, let gClass,
        let blueprint = BufferPoolBlueprint.of(gClass.assumingMemoryBound(to: GTypeClass.self).pointee.g_type)
    else { return }
    let elastic = ElasticPool()
    guard let kind = blueprint.makeKind(elastic) else { return }
    elastic.kind = kind
    InstanceSlot<GstBufferPool>(in: UnsafeMutableRawPointer(instance)).fill(BufferPoolBox(elastic, kind))
}

private func finalize(_ object: UnsafeMutablePointer<GObject>?) {
    guard let object else { return }
    InstanceSlot<GstBufferPool>(in: object).release()
    UnsafeMutableRawPointer(parentClass)?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize?(object)
}

private var parentClass: UnsafeMutablePointer<GstBufferPoolClass>? {
    g_type_class_peek(gst_buffer_pool_get_type())?.assumingMemoryBound(to: GstBufferPoolClass.self)
}

@inline(__always)
private func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (BufferPoolBox) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot<GstBufferPool>(in: instance!).lend(BufferPoolBox.self, body)
}
