import CGStreamer
import GstTestSupport
import Synchronization

/// Elements with the names and properties of hardware encoders, which forward frames and store numbers.
enum FakeEncoder {
    struct Number: Sendable {
        let name: String
        var initial: Int32 = 0
        /// The value that the simulated driver uses when `value` is set.
        var rounded: @Sendable (_ present: Int32, _ value: Int32) -> Int32 = { $1 }
        /// Whether the number can be set while frames pass.
        var isMutable = true
    }

    static let ready: Void = {
        _ = Setup.once
        register(
            "nvh264enc",
            [
                Number(name: "bitrate"), Number(name: "max-bitrate", initial: 3000),
                Number(name: "qp-const", initial: -1),
            ])
        register("vah264enc", [Number(name: "bitrate")])
        register(
            "qsvh264enc",
            ["bitrate", "max-bitrate"].map { Number(name: $0, initial: 2000, rounded: { $1 / 16 * 16 }) })
        register("mpph264enc", ["bps", "bps-min", "bps-max"].map { Number(name: $0, initial: 1_000_003) })
        register("svtav1enc", [Number(name: "target-bitrate", initial: 1000, rounded: { present, _ in present })])
        register("nvh265enc", [Number(name: "bitrate", initial: 1000, rounded: { present, _ in present })])
        register("vah265enc", [Number(name: "bitrate", initial: 1000, isMutable: false)])
        register("v4l2h264enc", [Number(name: "device-fd", initial: -1)], hasControls: true)
    }()

    /// Changes a number without a notification, as if the element changed it.
    static func change(_ object: UnsafeMutablePointer<GstElement>, _ name: String, to value: Int32) {
        numbers.withLock { $0[Key(object: UInt(bitPattern: object), name: name)] = value }
    }

    /// The last value of `control` that the driver received; later structures may omit the control.
    static func given(_ object: UnsafeMutablePointer<GstElement>, _ control: String) -> Int32? {
        numbers.withLock { $0[Key(object: UInt(bitPattern: object), name: control)] }
    }

    /// Lets the element set a number and notify it on its streaming thread, with its next caps or frame.
    static func choose(
        _ object: UnsafeMutablePointer<GstElement>, _ name: String, _ value: Int32, with type: GstPadProbeType
    ) {
        let choice = Choice(name: name, value: value)
        let pad = gst_element_get_static_pad(object, "src")
        gst_pad_add_probe(
            pad, type,
            { pad, info, data in
                let isEvent = info!.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0
                if isEvent, info!.pointee.data.assumingMemoryBound(to: GstEvent.self).pointee.type != GST_EVENT_CAPS {
                    return GST_PAD_PROBE_OK
                }
                let choice = Unmanaged<Choice>.fromOpaque(data!).takeUnretainedValue()
                let element = gst_pad_get_parent_element(pad)!
                FakeEncoder.change(element, choice.name, to: choice.value)
                g_object_notify(
                    UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), choice.name)
                gst_object_unref(element)
                return GST_PAD_PROBE_REMOVE
            }, Unmanaged.passRetained(choice).toOpaque(), { Unmanaged<Choice>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    // MARK: The elements

    private final class Choice: Sendable {
        let name: String
        let value: Int32
        init(name: String, value: Int32) {
            self.name = name
            self.value = value
        }
    }

    private struct Key: Hashable {
        let object: UInt
        let name: String
    }

    private static let numbers = Mutex<[Key: Int32]>([:])
    private static let controls = Mutex<[UInt: String]>([:])

    private final class Kind: Sendable {
        let numbers: [Number]
        let hasControls: Bool
        init(_ numbers: [Number], _ hasControls: Bool) {
            self.numbers = numbers
            self.hasControls = hasControls
        }
    }

    /// All kinds of elements that were registered, by their type.
    private static let kinds = Mutex<[GType: Kind]>([:])

    /// Removes the numbers of a freed element that had the same address.
    private static func forget(_ object: UInt) {
        numbers.withLock { numbers in numbers = numbers.filter { $0.key.object != object } }
        controls.withLock { $0[object] = nil }
    }

    private static func kind(of object: UnsafeMutableRawPointer) -> Kind? {
        let type = cgst_type_of_instance(object)
        return kinds.withLock { $0[type] }
    }

    private static func register(_ factory: String, _ numbers: [Number], hasControls: Bool = false) {
        let identity = gst_element_factory_make("identity", nil)!
        gst_object_ref_sink(identity)
        let parent = cgst_type_of_instance(identity)
        gst_object_unref(identity)
        var query = GTypeQuery()
        g_type_query(parent, &query)
        let kind = Kind(numbers, hasControls)
        var info = GTypeInfo()
        info.class_size = guint16(query.class_size)
        info.instance_size = guint16(query.instance_size)
        info.class_data = UnsafeRawPointer(Unmanaged.passRetained(kind).toOpaque())
        info.class_init = { elementClass, kind in
            FakeEncoder.fill(elementClass!, Unmanaged<Kind>.fromOpaque(kind!).takeUnretainedValue())
        }
        info.instance_init = { object, _ in FakeEncoder.forget(UInt(bitPattern: object)) }
        let type = g_type_register_static(parent, "FakeEncoder_\(factory)", &info, GTypeFlags(rawValue: 0))
        kinds.withLock { $0[type] = kind }
        gst_element_register(nil, factory, guint(GST_RANK_NONE.rawValue), type)
    }

    private static func fill(_ elementClass: UnsafeMutableRawPointer, _ kind: Kind) {
        let objectClass = elementClass.assumingMemoryBound(to: GObjectClass.self)
        objectClass.pointee.set_property = { object, id, value, _ in FakeEncoder.set(object!, Int(id), value!) }
        objectClass.pointee.get_property = { object, id, value, _ in FakeEncoder.get(object!, Int(id), value!) }
        let both = cgst_param_readable().rawValue | cgst_param_writable().rawValue
        for (index, number) in kind.numbers.enumerated() {
            g_object_class_install_property(
                objectClass, guint(index + 1),
                g_param_spec_int(
                    number.name, nil, nil, -1, .max, number.initial,
                    GParamFlags(
                        rawValue: both
                            | (number.isMutable ? cgst_param_mutable_playing() : cgst_param_mutable_ready()).rawValue)))
        }
        if kind.hasControls {
            g_object_class_install_property(
                objectClass, guint(kind.numbers.count + 1),
                g_param_spec_boxed(
                    "extra-controls", nil, nil, gst_structure_get_type(), GParamFlags(rawValue: both)))
        }
        gst_element_class_set_static_metadata(
            elementClass.assumingMemoryBound(to: GstElementClass.self), "Fake", "Codec/Encoder/Video", "For tests",
            "nobody")
    }

    private static func set(_ object: UnsafeMutablePointer<GObject>, _ id: Int, _ value: UnsafePointer<GValue>) {
        guard let kind = kind(of: object) else { return }
        guard kind.numbers.indices.contains(id - 1) else {
            // Like v4l2 elements, the element sets the controls that are fields of the structure.
            guard let structure = g_value_get_boxed(value)?.assumingMemoryBound(to: GstStructure.self) else {
                if numbers.withLock({ $0[Key(object: UInt(bitPattern: object), name: "device-fd")] ?? -1 }) >= 0 {
                    fatalError("An open device received no structure.")
                }
                return controls.withLock { $0[UInt(bitPattern: object)] = nil }
            }
            var bitrate: gint = 0
            if gst_structure_get_int(structure, "video_bitrate", &bitrate) != 0 {
                numbers.withLock { $0[Key(object: UInt(bitPattern: object), name: "video_bitrate")] = bitrate }
            }
            let text = gst_structure_to_string(structure)!
            defer { g_free(text) }
            return controls.withLock { $0[UInt(bitPattern: object)] = String(cString: text) }
        }
        let number = kind.numbers[id - 1]
        let key = Key(object: UInt(bitPattern: object), name: number.name)
        let wanted = g_value_get_int(value)
        numbers.withLock { $0[key] = number.rounded($0[key] ?? number.initial, wanted) }
    }

    private static func get(_ object: UnsafeMutablePointer<GObject>, _ id: Int, _ value: UnsafeMutablePointer<GValue>) {
        guard let kind = kind(of: object) else { return }
        guard kind.numbers.indices.contains(id - 1) else {
            let text = controls.withLock { $0[UInt(bitPattern: object)] }
            guard let text, let structure = gst_structure_from_string(text, nil) else { return }
            return g_value_take_boxed(value, structure)
        }
        let number = kind.numbers[id - 1]
        let key = Key(object: UInt(bitPattern: object), name: number.name)
        g_value_set_int(value, numbers.withLock { $0[key] ?? number.initial })
    }
}
