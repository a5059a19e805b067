import CGStreamer
import Synchronization

/// Registers the GType of a pool, so that `g_type_from_name` finds it.
public func registerBufferPool<P: BufferPool>(_: P.Type) -> Bool { bufferPoolType(P.self) != nil }

/// The GType of `P`, registered on the first call; nil when its name is taken.
func bufferPoolType<P: BufferPool>(_: P.Type) -> GType? { BufferPoolBlueprint.type(of: P.self) }

/// The Swift object behind a C pool; nil when its class is not written in Swift.
func swiftPool(behind pool: UnsafeMutablePointer<GstBufferPool>) -> (any BufferPool)? {
    guard BufferPoolBlueprint.of(cgst_type_of_instance(pool)) != nil else { return nil }
    return InstanceSlot<GstBufferPool>(in: pool).lend(BufferPoolBox.self) { $0.pool }
}

// MARK: - Per class

/// The data that all instances of a class share.
private class BufferPoolBlueprint: @unchecked Sendable {  // Nothing changes after `init`.
    private static let key = g_quark_from_static_string("gst-plugins-swift-pool-blueprint")
    private static let registration = Mutex(())

    /// The list that `get_options` returns; it lives as long as the process.
    let options: UnsafeMutablePointer<UnsafePointer<gchar>?>

    init(_ options: [String]) {
        self.options = .allocate(capacity: options.count + 1)
        for (index, option) in options.enumerated() {
            (self.options + index).initialize(to: g_intern_string(option))
        }
        (self.options + options.count).initialize(to: nil)
    }

    func makePool(_ host: BufferPoolHost) -> (any BufferPool)? { nil }

    static func type<P: BufferPool>(of _: P.Type) -> GType? {
        registration.withLock { _ in
            let known = g_type_from_name(P.typeName)
            if known != cgst_type_invalid() {
                return g_type_is_a(known, gst_buffer_pool_get_type()) != 0 ? known : nil
            }
            var info = GTypeInfo()
            info.class_size = guint16(MemoryLayout<GstBufferPoolClass>.stride)
            info.class_init = { gClass, _ in initClass(gClass) }
            info.instance_size = InstanceSlot<GstBufferPool>.instanceSize
            info.instance_init = { initInstance($0, of: $1) }
            let type = g_type_register_static(gst_buffer_pool_get_type(), P.typeName, &info, GTypeFlags(rawValue: 0))
            guard type != cgst_type_invalid() else { return nil }
            // The type lives as long as the process, and so does its blueprint.
            g_type_set_qdata(type, key, Unmanaged.passRetained(BufferPoolBlueprintOf<P>()).toOpaque())
            return type
        }
    }

    static func of(_ type: GType) -> BufferPoolBlueprint? {
        g_type_get_qdata(type, key).map { Unmanaged<BufferPoolBlueprint>.fromOpaque($0).takeUnretainedValue() }
    }
}

private final class BufferPoolBlueprintOf<P: BufferPool>: BufferPoolBlueprint, @unchecked Sendable {  // As its parent.
    init() { super.init(P.options) }
    override func makePool(_ host: BufferPoolHost) -> (any BufferPool)? { P(host: host) }
}

/// Holds the Swift object for the C instance, which owns it.
private final class BufferPoolBox {
    let pool: any BufferPool
    init(_ pool: any BufferPool) { self.pool = pool }
}

// MARK: - Entry points from C

private func initClass(_ gClass: UnsafeMutableRawPointer?) {
    guard let gClass else { return }
    gClass.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = { finalize($0) }
    let pool = gClass.assumingMemoryBound(to: GstBufferPoolClass.self)
    pool.pointee.get_options = { pool in pool.flatMap { BufferPoolBlueprint.of(cgst_type_of_instance($0))?.options } }
    pool.pointee.set_config = { pool, config in
        guard let config else { return 0 }
        return lend(pool) { $0.setConfiguration(PoolConfiguration(raw: config)) ? 1 : 0 }
    }
    pool.pointee.start = { pool in lend(pool) { $0.start() ? 1 : 0 } }
    pool.pointee.stop = { pool in lend(pool) { $0.stop() ? 1 : 0 } }
    pool.pointee.acquire_buffer = { pool, buffer, parameters in
        guard let buffer else { return GST_FLOW_ERROR }
        let waits =
            parameters.map { $0.pointee.flags.rawValue & GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT.rawValue == 0 } ?? true
        return lend(pool) { pool in make(buffer) { () throws(FlowResult) in try pool.acquire(waits: waits) } }
    }
    pool.pointee.release_buffer = { pool, buffer in
        guard let buffer else { return }
        lend(pool) { $0.release(Buffer(taking: buffer)) }
    }
    pool.pointee.alloc_buffer = { pool, buffer, _ in
        guard let buffer else { return GST_FLOW_ERROR }
        return lend(pool) { pool in make(buffer) { () throws(FlowResult) in try pool.allocate() } }
    }
    pool.pointee.flush_start = { pool in lend(pool) { $0.flushStart() } }
}

@inline(__always)
private func make(
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>, _ body: () throws(FlowResult) -> Buffer
) -> GstFlowReturn {
    do throws(FlowResult) {
        place.pointee = try body().give()
        return GST_FLOW_OK
    } catch {
        place.pointee = nil
        return error.raw
    }
}

private func initInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, of gClass: UnsafeMutableRawPointer?) {
    guard let instance = UnsafeMutableRawPointer(instance), let gClass,
        let blueprint = BufferPoolBlueprint.of(gClass.assumingMemoryBound(to: GTypeClass.self).pointee.g_type),
        let pool = blueprint.makePool(BufferPoolHost(pool: instance.assumingMemoryBound(to: GstBufferPool.self)))
    else { return }
    InstanceSlot<GstBufferPool>(in: instance).fill(BufferPoolBox(pool))
}

private func finalize(_ object: UnsafeMutablePointer<GObject>?) {
    guard let object else { return }
    InstanceSlot<GstBufferPool>(in: object).release()
    g_type_class_peek(gst_buffer_pool_get_type())?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize?(object)
}

@inline(__always)
private func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (any BufferPool) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot<GstBufferPool>(in: instance!).lend(BufferPoolBox.self) { body($0.pool) }
}
