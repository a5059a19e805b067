import CGStreamer
import Synchronization

/// What all instances of an element have in common, as the C class asks for it.
///
/// Each C base class has a subclass of this that can also make instances; see `VideoFilterBlueprint`.
class ElementBlueprint: @unchecked Sendable {  // Nothing changes after `init`.
    private static let key = g_quark_from_string("gst-plugins-swift-blueprint")

    let metadata: ElementMetadata
    let padTemplates: [PadTemplate]
    let presetPropertyNames: [String]
    let presentPresetName: (String) -> String?
    private let makeSpecs: @Sendable () -> [UnsafeMutablePointer<GParamSpec>?]

    init<Element: ElementDescription & ~Copyable>(
        _: Element.Type, _ properties: [Property<Element.Settings>]
    ) {
        metadata = Element.metadata
        padTemplates = Element.padTemplates
        presetPropertyNames = properties.filter(\.goesIntoPresets).map(\.name)
        presentPresetName = { Element.presentPresetName(of: $0) }
        makeSpecs = {
            let defaults = Element.Settings()
            return properties.map { $0.makeSpec(defaults) }
        }
    }

    /// Makes `Element` known to GStreamer as a subclass of `parent`, of which `Class` and `Instance` are the C types.
    func register<Element: ElementDescription & ~Copyable, Class, Instance>(
        _: Element.Type, in plugin: Plugin, below parent: GType, _: Class.Type, _: Instance.Type,
        initClass: GClassInitFunc, initInstance: GInstanceInitFunc
    ) -> Bool {
        let type = makeType(Element.typeName, parent: parent, interfaces: Element.interfaces) { info in
            info.class_size = guint16(MemoryLayout<Class>.stride)
            info.class_init = initClass
            info.instance_size = InstanceSlot<Instance>.instanceSize
            info.instance_init = initInstance
        }
        guard let type else { return false }
        return gst_element_register(plugin.raw, Element.factoryName, guint(GST_RANK_NONE.rawValue), type) != 0
    }

    /// Called once, from the C class's `class_init`.
    func describe(_ elementClass: UnsafeMutablePointer<GstElementClass>) {
        metadata.install(on: elementClass)
        for template in padTemplates { template.install(on: elementClass) }
        let objectClass = UnsafeMutableRawPointer(elementClass).assumingMemoryBound(to: GObjectClass.self)
        for (index, spec) in makeSpecs().enumerated() {
            guard let spec else { continue }  // GLib has said why.
            g_object_class_install_property(objectClass, guint(index + 1), spec)
        }
    }

    /// The blueprint `type`, or the nearest type above it, was registered with.
    static func of(_ type: GType) -> ElementBlueprint? {
        var type = type
        while type != cgst_type_invalid() {
            if let data = g_type_get_qdata(type, key) {
                return Unmanaged<ElementBlueprint>.fromOpaque(data).takeUnretainedValue()
            }
            type = g_type_parent(type)
        }
        return nil
    }

    /// Makes the GType `name`, or finds it when this process has made it before; nil when the name is taken.
    ///
    /// The corresponding C function is `g_type_register_static`.
    func makeType(
        _ name: String, parent: GType, interfaces: [ElementInterface], _ layOut: (inout GTypeInfo) -> Void
    ) -> GType? {
        Self.registration.withLock { _ in
            let known = g_type_from_name(name)
            guard known == cgst_type_invalid() else { return g_type_is_a(known, parent) != 0 ? known : nil }
            // The type lives as long as the process, and so does its blueprint.
            let data = Unmanaged.passRetained(self).toOpaque()
            var info = GTypeInfo()
            info.class_data = UnsafeRawPointer(data)
            layOut(&info)
            let type = g_type_register_static(parent, name, &info, GTypeFlags(rawValue: 0))
            guard type != cgst_type_invalid() else { return nil }
            g_type_set_qdata(type, Self.key, data)
            for interface in interfaces { interface.add(to: type) }
            return type
        }
    }

    /// GLib finds and makes types under its own lock, but not both in one step.
    private static let registration = Mutex(())
}

/// What C can ask of any element's instance; each C base class adds its own methods in a subclass.
class ElementBox {
    let properties: PropertyStore

    init(properties: PropertyStore) { self.properties = properties }

    /// Writes a property; for the C method `set_property`.
    func write(
        _ id: guint, from value: UnsafePointer<GValue>?, in object: UnsafeMutablePointer<GObject>?,
        _ spec: UnsafeMutablePointer<GParamSpec>?
    ) {
        guard let value, properties.write(id, from: value) else {
            return cgst_warn_invalid_property(object, id, spec)
        }
    }

    /// Reads a property; for the C method `get_property`.
    func read(
        _ id: guint, into value: UnsafeMutablePointer<GValue>?, in object: UnsafeMutablePointer<GObject>?,
        _ spec: UnsafeMutablePointer<GParamSpec>?
    ) {
        guard let value, properties.read(id, into: value) else {
            return cgst_warn_invalid_property(object, id, spec)
        }
    }
}
