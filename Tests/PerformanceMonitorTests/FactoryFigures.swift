import CGStreamer
import GstTestSupport

extension RawElement {
    /// Values of `field` in this monitor's property `stats`, for each element that `factory` has made.
    func figures(ofFactory factory: String, _ field: String) -> [Double] {
        names(ofFactory: factory).compactMap { figure($0, field) }
    }

    /// Value of `field` of the process in this monitor's property `stats`; nil if the field is absent.
    func processFigure(_ field: String) -> Double? {
        withStats { stats in
            guard let value = gst_structure_get_value(stats, field) else { return nil }
            var number = GValue()
            g_value_init(&number, cgst_type_double())
            return g_value_transform(value, &number) != 0 ? g_value_get_double(&number) : nil
        }
    }

    private func names(ofFactory factory: String) -> [String] {
        withStats { stats in
            (0..<gst_structure_n_fields(stats)).compactMap { index in
                guard let name = gst_structure_nth_field_name(stats, guint(index)),
                    let value = gst_structure_get_value(stats, name),
                    value.pointee.g_type == gst_structure_get_type(), let boxed = g_value_get_boxed(value),
                    let made = gst_structure_get_string(boxed.assumingMemoryBound(to: GstStructure.self), "factory")
                else { return nil }
                return String(cString: made) == factory ? String(cString: name) : nil
            }
        } ?? []
    }

    private func withStats<Result>(_ body: (UnsafePointer<GstStructure>) -> Result?) -> Result? {
        withValue(of: "stats") { value in
            g_object_get_property(object, "stats", value)
            return g_value_get_boxed(value).flatMap {
                body(UnsafePointer($0.assumingMemoryBound(to: GstStructure.self)))
            }
        }
    }
}
