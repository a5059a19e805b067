import CGStreamer

/// Registers `P` as a device provider.
///
/// The same provider may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_device_provider_register`.
public func register<P: DeviceProvider>(_: P.Type, in plugin: Plugin) -> Bool {
    let rows = P.Settings.properties
    guard let deviceType = registerDevices(of: P.self) else { return false }
    let type = ObjectType.register(
        P.self, below: gst_device_provider_get_type(), rows: rows,
        initClass: { gClass in
            let provider = gClass.assumingMemoryBound(to: GstDeviceProviderClass.self)
            P.metadata.install(on: provider)
            provider.pointee.probe = { lend($0) { $0.probe() } }
            provider.pointee.start = { lend($0) { $0.deviceProvider?.start() ?? false } }
            provider.pointee.stop = { lend($0) { $0.deviceProvider?.stop() } }
        }, makeInstance: { raw, type in DeviceProviderInstance<P>(raw, type, rows, deviceType) })
    guard let type else { return false }
    return gst_device_provider_register(plugin.raw, P.providerName, P.rank.rawValue, type) != 0
}

/// The class of the devices of `P`; the Swift object of each device is a `DeviceInstance`.
private struct DeviceClass<P: DeviceProvider>: Object {
    typealias Settings = NoSettings
    static var typeName: String { P.deviceTypeName }
}

private func registerDevices<P: DeviceProvider>(of _: P.Type) -> GType? {
    ObjectType.register(
        DeviceClass<P>.self, below: gst_device_get_type(), rows: [],
        initClass: { gClass in
            gClass.assumingMemoryBound(to: GstDeviceClass.self).pointee.create_element = { device, name in
                lend(device) { $0.makeElement(named: name) }
            }
        }, makeInstance: { _, type in DeviceInstance(type, PropertyStore()) })
}

extension GstDeviceProvider: ClassInstance { typealias Class = GstDeviceProviderClass }
extension GstDevice: ClassInstance { typealias Class = GstDeviceClass }

private final class DeviceProviderInstance<P: DeviceProvider>: Instance {
    private let provider: P

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<P.Settings>], _ deviceType: GType) {
        provider = P(
            host: DeviceProviderHost(raw.assumingMemoryBound(to: GstDeviceProvider.self), deviceType: deviceType))
        super.init(type, PropertyStoreOf(rows, host: ObjectHost(raw: raw), report: provider.report))
    }

    override var deviceProvider: (any DeviceProvider)? { provider }

    override func probe() -> UnsafeMutablePointer<GList>? {
        var list: UnsafeMutablePointer<GList>?
        for device in provider.probe().reversed() {
            guard let raw = provider.host.makeDevice(device) else { continue }
            // The caller owns the references.
            list = g_list_prepend(list, gst_object_ref_sink(raw))
        }
        return list
    }
}

/// The Swift object of a `GstDevice`.
final class DeviceInstance: Instance {
    /// The described device; set once, before other threads can use the C instance.
    var device: Device?

    override func makeElement(named name: UnsafePointer<gchar>?) -> UnsafeMutablePointer<GstElement>? {
        guard let device, let raw = gst_element_factory_make(device.factory, name) else { return nil }
        // The caller takes ownership of the floating reference, and `element` has another reference.
        let element = ElementReference(raw)
        for (name, value) in device.settings where !element.set(name, to: value) {
            bridgeLog.error(nil, "the property \(name) of \(device.factory) cannot be \(value)")
        }
        return raw
    }
}
