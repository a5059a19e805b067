import CGStreamer
import GstTestSupport

extension Pipeline {
    /// Value of `field` of `element` in the monitor's property `stats`; nil if the field is absent.
    func figure(_ element: String, _ field: String, monitor: String = "m") -> Double? {
        self.element(monitor).figure(element, field)
    }

    /// Whether the property `stats` of the monitor contains figures of `element`.
    func hasFigures(of element: String, monitor: String = "m") -> Bool {
        figure(element, "in", monitor: monitor) != nil
    }

    /// Sets the state NULL, in which the monitor keeps its last figures.
    func end() { gst_element_set_state(raw, GST_STATE_NULL) }
}

extension RawElement {
    /// Value of `field` of `element` in the property `stats`, as a number; nil if the field is absent.
    func figure(_ element: String, _ field: String) -> Double? {
        withValue(of: "stats") { value in
            g_object_get_property(object, "stats", value)
            return Self.field(element, of: value).flatMap { Self.field(field, of: $0) }.flatMap(Self.number)
        }
    }

    /// Values of `fields` of `element` in one reading of the property `stats`; nil if a field is absent.
    func figures(_ element: String, _ fields: [String]) -> [Double]? {
        withValue(of: "stats") { value in
            g_object_get_property(object, "stats", value)
            guard let row = Self.field(element, of: value) else { return nil }
            let numbers = fields.compactMap { Self.field($0, of: row).flatMap(Self.number) }
            return numbers.count == fields.count ? numbers : nil
        }
    }

    private static func field(_ name: String, of value: UnsafePointer<GValue>) -> UnsafePointer<GValue>? {
        g_value_get_boxed(value).flatMap {
            gst_structure_get_value($0.assumingMemoryBound(to: GstStructure.self), name)
        }
    }

    private static func number(_ value: UnsafePointer<GValue>) -> Double? {
        var number = GValue()
        g_value_init(&number, cgst_type_double())
        guard g_value_transform(value, &number) != 0 else { return nil }
        return g_value_get_double(&number)
    }
}

/// Counts GObjects that are freed.
final class FreedObjects: @unchecked Sendable {  // GLib's atomic functions access the counter.
    private let cell = UnsafeMutablePointer<gint>.allocate(capacity: 1)

    init() { cell.initialize(to: 0) }
    deinit { cell.deallocate() }

    /// Counts `element` when it is freed, which must happen before this object is freed.
    func follow(_ element: RawElement) {
        g_object_weak_ref(
            element.object, { data, _ in g_atomic_int_inc(data!.assumingMemoryBound(to: gint.self)) }, cell)
    }

    var count: Int { Int(g_atomic_int_get(cell)) }
}
