import CGStreamer

/// A weak reference to the C instance of a device provider; the C instance owns the Swift object.
///
/// Any thread may use the host, also after the provider is finalized. The corresponding C types are `GstDeviceProvider`
/// and `GWeakRef`.
public struct DeviceProviderHost: Sendable {
    private let reference: WeakReference
    private let deviceType: GType

    init(_ provider: UnsafeMutablePointer<GstDeviceProvider>, deviceType: GType) {
        reference = WeakReference(provider)
        self.deviceType = deviceType
    }

    /// Adds a device and posts a DEVICE_ADDED message; nil if the element factory of the device does not exist.
    ///
    /// Any thread may call this between `start` and `stop`. The corresponding C function is
    /// `gst_device_provider_device_add`.
    public func add(_ device: Device) -> DeviceReference? {
        reference.lend { provider -> DeviceReference? in
            guard let raw = makeDevice(device) else { return nil }
            let reference = DeviceReference(raw)
            // The function takes ownership of the floating reference.
            gst_device_provider_device_add(provider.assumingMemoryBound(to: GstDeviceProvider.self), raw)
            return reference
        } ?? nil
    }

    /// Removes a device that `add` returned, and posts a DEVICE_REMOVED message.
    ///
    /// The corresponding C function is `gst_device_provider_device_remove`.
    public func remove(_ device: DeviceReference) {
        reference.lend {
            gst_device_provider_device_remove($0.assumingMemoryBound(to: GstDeviceProvider.self), device.raw)
        }
    }

    /// A new `GstDevice` (floating reference); nil if there is no element factory that opens the device.
    func makeDevice(_ device: Device) -> UnsafeMutablePointer<GstDevice>? {
        guard let factory = gst_element_factory_find(device.factory) else {
            bridgeLog.error(nil, "there is no element \(device.factory) for the device \(device.name)")
            return nil
        }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        let facts: KeyValuePairs<StaticString, Structure.Value> = [
            "display-name": .string(device.name), "device-class": .string(device.classification),
            "caps": .caps(device.caps), "properties": .structure(device.properties),
        ]
        // `makeValue` returns nil for a structure with an invalid name.
        var (names, values): ([UnsafePointer<CChar>?], [GValue]) = ([], [])
        for (name, value) in facts {
            guard let value = value.makeValue() else { continue }
            names.append(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
            values.append(value)
        }
        defer { for index in values.indices { g_value_unset(&values[index]) } }
        guard let object = g_object_new_with_properties(deviceType, guint(names.count), &names, &values) else {
            return nil
        }
        (InstanceSlot.peek(object) as? DeviceInstance)?.device = device
        return UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstDevice.self)
    }
}

/// A reference to a device that `DeviceProviderHost.add` returned.
public final class DeviceReference: @unchecked Sendable {  // The pointer is passed only to functions that are MT safe.
    let raw: UnsafeMutablePointer<GstDevice>

    /// Takes another reference.
    init(_ raw: UnsafeMutablePointer<GstDevice>) {
        self.raw = raw
        gst_object_ref(raw)
    }

    deinit { gst_object_unref(raw) }
}
