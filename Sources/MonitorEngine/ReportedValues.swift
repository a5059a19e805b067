import CGStreamer
public import MonitorPolicy

extension [ElementSnapshot.Level] {
    /// Number of frames that the element has dropped; nil if it does not count them.
    public var drops: UInt64? {
        // The element videorate counts drops in its property `drop`.
        first { ["dropped", "drop"].contains($0.name) && $0.isCounter }.flatMap { UInt64(exactly: $0.value) }
    }
}

/// Reads levels of queues and pools, counters of sinks, and thermal levels from properties.
///
/// Reading locks mutexes of the element briefly, so do not read on a streaming thread.
enum ReportedValues {
    private static let levels = [
        "current-level-buffers", "current-level-bytes", "current-level-time", "max-size-buffers", "max-size-bytes",
        "max-size-time", "current-buffers", "outstanding-buffers", "peak-outstanding", "in-flight", "max-in-flight",
        "temperature", "headroom", "level", "sync",
    ]
    private static let counters = ["drop", "dropped", "duplicate", "expired", "in", "out", "rendered"]
    /// Counters in the property `stats`, including those of a jitter buffer.
    private static let statsCounters = counters + ["num-pushed", "num-lost", "num-late", "num-duplicates"]
    private static let limit = 48

    /// Values of `level` of `thermalcaps`, coolest first.
    private static let thermalLevels = ["nominal", "fair", "serious", "critical", "shutdown"]

    /// Whether the element reports the temperature of the machine, as the bin `thermalcaps` does.
    static func includesHeat(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        cgst_readable_property_type(element, "temperature") == cgst_type_double()
    }

    /// Values of an element, at most 48; a property takes precedence over a field of `stats` with the same name.
    static func read(_ element: UnsafeMutablePointer<GstElement>) -> [ElementSnapshot.Level] {
        var values: [ElementSnapshot.Level] = []
        for name in levels + counters {
            guard let value = number(of: element, name) else { continue }
            // `drop` of `valve` and `appsink` is a switch.
            let isSwitch = cgst_readable_property_type(element, name) == cgst_type_boolean()
            values.append(ElementSnapshot.Level(name, value, isCounter: counters.contains(name) && !isSwitch))
        }
        if includesHeat(element) { values += heat(of: element) }
        withProperty(of: element, "stats", gst_structure_get_type()) { value in
            guard let raw = g_value_get_boxed(&value) else { return }
            append(UnsafePointer(raw.assumingMemoryBound(to: GstStructure.self)), "", &values)
        }
        return Array(values.prefix(limit))
    }

    /// Returns the thermal level as a number from 0, and whether the quality is reduced.
    private static func heat(of element: UnsafeMutablePointer<GstElement>) -> [ElementSnapshot.Level] {
        var values: [ElementSnapshot.Level] = []
        if let level = text(of: element, "level"), let index = thermalLevels.firstIndex(of: level) {
            values.append(ElementSnapshot.Level("thermal-level", detail: level, Double(index)))
        }
        if let action = text(of: element, "current-action") {
            let step = action == "none" ? ("", 0.0) : (action, 1.0)
            values.append(ElementSnapshot.Level("ladder-step", detail: step.0, step.1))
        }
        return values
    }

    private static func text(of element: UnsafeMutablePointer<GstElement>, _ name: String) -> String? {
        var text: String?
        withProperty(of: element, name, cgst_type_string()) { value in
            text = g_value_get_string(&value).map { String(cString: $0) }
        }
        return text
    }

    private static func append(
        _ structure: UnsafePointer<GstStructure>, _ group: String, _ values: inout [ElementSnapshot.Level]
    ) {
        for index in 0..<max(0, gst_structure_n_fields(structure)) where values.count < limit {
            guard let field = gst_structure_nth_field_name(structure, guint(index)),
                let value = gst_structure_get_value(structure, field)
            else { continue }
            let name = String(cString: field)
            if value.pointee.g_type == gst_structure_get_type(), group.isEmpty, let inner = g_value_get_boxed(value) {
                append(UnsafePointer(inner.assumingMemoryBound(to: GstStructure.self)), name, &values)
            } else if let number = number(value), !values.contains(where: { $0.name == name && group.isEmpty }) {
                values.append(
                    ElementSnapshot.Level(
                        group.isEmpty ? name : group, detail: group.isEmpty ? "" : name, number,
                        isCounter: statsCounters.contains(group.isEmpty ? name : group)))
            }
        }
    }

    static func number(of element: UnsafeMutablePointer<GstElement>, _ name: String) -> Double? {
        var result: Double?
        withProperty(of: element, name, nil) { value in
            result =
                g_type_is_a(value.g_type, cgst_type_enum()) != 0 ? Double(g_value_get_enum(&value)) : number(&value)
        }
        return result
    }

    private static func withProperty(
        of element: UnsafeMutablePointer<GstElement>, _ name: String, _ wanted: GType?, _ body: (inout GValue) -> Void
    ) {
        let type = cgst_readable_property_type(element, name)
        guard type != cgst_type_invalid(), wanted == nil || wanted == type else { return }
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        g_object_get_property(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), name, &value)
        body(&value)
    }

    /// Converts a finite number of any type, or a boolean to 0 or 1; nil for any other value.
    private static func number(_ value: UnsafePointer<GValue>) -> Double? {
        if value.pointee.g_type == cgst_type_boolean() { return g_value_get_boolean(value) != 0 ? 1 : 0 }
        guard g_value_type_transformable(value.pointee.g_type, cgst_type_double()) != 0 else { return nil }
        var number = GValue()
        g_value_init(&number, cgst_type_double())
        defer { g_value_unset(&number) }
        guard g_value_transform(value, &number) != 0 else { return nil }
        let result = g_value_get_double(&number)
        return result.isFinite ? result : nil
    }
}
