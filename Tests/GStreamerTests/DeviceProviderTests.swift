import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests device providers successively, because a provider has only one instance.
@Suite(.serialized) final class DeviceProviderTests {
    private let provider: UnsafeMutablePointer<GstDeviceProvider>
    private let shelf: Shelf

    init() throws {
        try #require(TestElements.areRegistered)
        provider = try #require(gst_device_provider_factory_get_by_name("swifttestshelf"))
        shelf = try #require(Shelf.current.withLock { $0 })
        shelf.calls.withLock { $0 = [] }
    }

    deinit { gst_object_unref(provider) }

    @Test func probeListsDevices() throws {
        Shelf.found.withLock { $0 = [1, 2] }
        let devices = devices()
        defer { for device in devices { gst_object_unref(device) } }
        #expect(devices.map(name) == ["Box 1", "Box 2"])
        #expect(devices.allSatisfy { $0.pointee.parent.object.ref_count == 1 })
        let device = try #require(devices.last)
        #expect(gst_device_has_classes(device, "Source") != 0 && gst_device_has_classes(device, "Sink") == 0)
        #expect(gst_device_get_caps(device).map { Caps(taking: $0) } == Caps("application/x-numbers"))
        let properties = try #require(gst_device_get_properties(device))
        #expect(Structure(properties) == Structure("box", ["number": .int(2)]))
        gst_structure_free(properties)
        #expect(shelf.calls.withLock { $0 } == [])
    }

    @Test func deviceCreatesItsElement() throws {
        Shelf.found.withLock { $0 = [7] }
        let devices = devices()
        defer { for device in devices { gst_object_unref(device) } }
        let element = try #require(gst_device_create_element(devices.first, "opened"))
        #expect(g_object_is_floating(element) != 0)
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        #expect(element.pointee.object.object.ref_count == 1)
        let reference = ElementReference(element)
        #expect(reference.name == "opened" && reference.factory == "swifttestsplitter")
        #expect(reference.value("location") == .string("swifttest://7"))
    }

    @Test func startedProviderReportsDevices() throws {
        #expect(gst_device_provider_start(provider) != 0)
        let bus = try #require(gst_device_provider_get_bus(provider))
        defer { gst_object_unref(bus) }
        #expect(shelf.put(1) && shelf.put(2))
        shelf.take(1)
        #expect(messages(on: bus) == ["device-added Box 1", "device-added Box 2", "device-removed Box 1"])
        Shelf.found.withLock { $0 = [9] }
        let present = devices()
        #expect(present.map(name) == ["Box 2"])
        for device in present { gst_object_unref(device) }
        gst_device_provider_stop(provider)
        #expect(shelf.calls.withLock { $0 } == ["start", "stop"])
        shelf.take(2)
    }

    @Test func unreachableProviderDoesNotStart() {
        Shelf.isReachable.withLock { $0 = false }
        defer { Shelf.isReachable.withLock { $0 = true } }
        #expect(gst_device_provider_start(provider) == 0)
    }

    @Test func deviceOfAMissingElementIsLeftOut() {
        #expect(!shelf.put(3, factory: "swifttest-no-such-element"))
    }

    @Test func monitorFindsDevicesByTheirClass() throws {
        Shelf.found.withLock { $0 = [4] }
        let monitor = try #require(gst_device_monitor_new())
        defer { gst_object_unref(monitor) }
        gst_device_monitor_add_filter(monitor, "Boxes/Source", nil)
        let list = gst_device_monitor_get_devices(monitor)
        let found = take(list)
        #expect(found.map(name) == ["Box 4"])
        for device in found { gst_object_unref(device) }
    }

    // MARK: Lists and messages

    /// The devices of the provider, whose references the caller owns.
    private func devices() -> [UnsafeMutablePointer<GstDevice>] { take(gst_device_provider_get_devices(provider)) }

    /// Frees a list and returns its devices.
    private func take(_ list: UnsafeMutablePointer<GList>?) -> [UnsafeMutablePointer<GstDevice>] {
        var devices: [UnsafeMutablePointer<GstDevice>] = []
        var node = list
        while let one = node {
            devices.append(one.pointee.data.assumingMemoryBound(to: GstDevice.self))
            node = one.pointee.next
        }
        g_list_free(list)
        return devices
    }

    private func name(_ device: UnsafeMutablePointer<GstDevice>) -> String {
        let name = gst_device_get_display_name(device)!
        defer { g_free(name) }
        return String(cString: name)
    }

    private func messages(on bus: UnsafeMutablePointer<GstBus>) -> [String] {
        var messages: [String] = []
        while let message = gst_bus_pop(bus) {
            defer { gst_message_unref(message) }
            var device: UnsafeMutablePointer<GstDevice>?
            switch message.pointee.type {
            case GST_MESSAGE_DEVICE_ADDED: gst_message_parse_device_added(message, &device)
            case GST_MESSAGE_DEVICE_REMOVED: gst_message_parse_device_removed(message, &device)
            default: continue
            }
            let type = String(cString: gst_message_type_get_name(message.pointee.type))
            messages.append("\(type) \(device.map(name) ?? "")")
            if let device { gst_object_unref(device) }
        }
        return messages
    }
}
