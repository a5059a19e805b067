import CGStreamer
import Threads

/// A GType registered by this shared object, with the data that its instances share.
///
/// A base class passes two functions: `initClass` sets its methods, and `makeInstance` creates the Swift object.
final class ObjectType: @unchecked Sendable {  // `parent` is set once, in `class_init`; nothing else changes.
    /// Key of the qdata that marks the types registered by this shared object.
    private static let key: GQuark = g_quark_from_string("gst-swift-object-type-\(SharedObject.uniqueName)")

    /// Makes the lookup and the registration of a type one atomic step.
    private static let registration = ProcessMutex(())

    let presetPropertyNames: [String]
    let currentPresetName: (String) -> String?
    let interfaces: [Interface]
    /// The class structure of the parent class, for chaining up.
    private(set) var parent: UnsafeMutableRawPointer?
    private let initClass: (UnsafeMutableRawPointer) -> Void
    private let makeInstance: (UnsafeMutableRawPointer, ObjectType) -> Instance
    private let signals: [Signal]
    private let makeSpecs: () -> [UnsafeMutablePointer<GParamSpec>?]

    private init<O: Object & ~Copyable>(
        _: O.Type, rows: [Property<O.Settings>], initClass: @escaping (UnsafeMutableRawPointer) -> Void,
        makeInstance: @escaping (UnsafeMutableRawPointer, ObjectType) -> Instance
    ) {
        presetPropertyNames = rows.filter(\.goesIntoPresets).map(\.name)
        currentPresetName = { O.currentPresetName(of: $0) }
        interfaces = O.interfaces
        signals = O.signals
        makeSpecs = {
            let defaults = O.Settings()
            return rows.map { $0.makeSpec(defaults) }
        }
        self.initClass = initClass
        self.makeInstance = makeInstance
    }

    /// Registers the type of `O` as a subclass of `parent`, or returns the type that this shared object has registered.
    ///
    /// Returns nil if another plugin has registered the name, or if the instance structure of `parent` is too large.
    ///
    /// The corresponding C function is `g_type_register_static`.
    static func register<O: Object & ~Copyable>(
        _: O.Type, below parent: GType, rows: [Property<O.Settings>], addInterfaces: (GType) -> Void = { _ in },
        initClass: @escaping (UnsafeMutableRawPointer) -> Void,
        makeInstance: @escaping (UnsafeMutableRawPointer, ObjectType) -> Instance
    ) -> GType? {
        registration.withLock { _ in
            let known = g_type_from_name(O.typeName)
            guard known == cgst_type_invalid() else {
                if g_type_get_qdata(known, key) != nil { return known }
                bridgeLog.error(nil, "the type name \(O.typeName) is taken by another plugin")
                return nil
            }
            var query = GTypeQuery()
            g_type_query(parent, &query)
            guard Int(query.instance_size) <= InstanceSlot.offset else {
                bridgeLog.error(
                    nil, "instances of \(String(cString: query.type_name)) exceed the size that the bridge supports")
                return nil
            }
            let type = ObjectType(O.self, rows: rows, initClass: initClass, makeInstance: makeInstance)
            // A GType is never unregistered, so its data are never released.
            let data = Unmanaged.passRetained(type).toOpaque()
            var info = GTypeInfo()
            info.class_size = guint16(clamping: query.class_size)
            info.class_init = { ObjectType.from($1)?.initialize($0) }
            info.class_data = UnsafeRawPointer(data)
            info.instance_size = guint16(clamping: InstanceSlot.instanceSize)
            info.instance_init = { ObjectType.of($1)?.initialize($0) }
            let gType = g_type_register_static(parent, O.typeName, &info, GTypeFlags(rawValue: 0))
            guard gType != cgst_type_invalid() else { return nil }
            g_type_set_qdata(gType, key, data)
            for interface in O.interfaces { interface.add(to: gType) }
            addInterfaces(gType)
            return gType
        }
    }

    /// The object of `type`, or of its nearest parent type that this shared object registered; nil if there is none.
    static func of(_ type: GType) -> ObjectType? {
        var type = type
        while type != cgst_type_invalid() {
            if let data = g_type_get_qdata(type, key) { return from(data) }
            type = g_type_parent(type)
        }
        return nil
    }

    /// The Swift object of a C instance; nil if its class was not registered by this shared object.
    static func instance(_ raw: UnsafeMutableRawPointer) -> Instance? {
        of(cgst_type_of_instance(raw)) == nil ? nil : InstanceSlot.lend(raw) { $0 }
    }

    private static func of(_ gClass: UnsafeMutableRawPointer?) -> ObjectType? {
        gClass.flatMap { of($0.assumingMemoryBound(to: GTypeClass.self).pointee.g_type) }
    }

    private static func from(_ data: UnsafeRawPointer?) -> ObjectType? {
        data.map { Unmanaged<ObjectType>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - Functions called by C

    /// Sets the GObject methods, which are the same in all classes.
    private func initialize(_ gClass: UnsafeMutableRawPointer?) {
        guard let gClass else { return }
        parent = g_type_class_peek_parent(gClass)
        let object = gClass.assumingMemoryBound(to: GObjectClass.self)
        object.pointee.set_property = { object, id, value, spec in
            if !lend(object, { $0.write(id, from: value) }) { cgst_warn_invalid_property(object, id, spec) }
        }
        object.pointee.get_property = { object, id, value, spec in
            if !lend(object, { $0.read(id, into: value) }) { cgst_warn_invalid_property(object, id, spec) }
        }
        object.pointee.finalize = { object in
            guard let object else { return }
            let parent = parentClass(of: object)
            InstanceSlot.release(in: UnsafeMutableRawPointer(object))
            parent?.pointee.finalize?(object)
        }
        initClass(gClass)
        for (index, spec) in makeSpecs().enumerated() {
            guard let spec else { continue }  // GLib has logged the reason.
            g_object_class_install_property(object, guint(index + 1), spec)
        }
        for signal in signals { signal.install(on: object.pointee.g_type_class.g_type) }
    }

    private func initialize(_ instance: UnsafeMutablePointer<GTypeInstance>?) {
        guard let instance = UnsafeMutableRawPointer(instance) else { return }
        InstanceSlot.fill(instance, with: makeInstance(instance, self))
    }
}
