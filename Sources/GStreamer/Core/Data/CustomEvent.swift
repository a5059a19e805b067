import CGStreamer

/// An upstream event of the application's own, or of another element.
///
/// The corresponding C type is `GstEvent` of type `GST_EVENT_CUSTOM_UPSTREAM`.
public struct CustomEvent: Sendable, Equatable {
    /// The value of its field `duration`.
    public enum Time: Sendable, Equatable {
        /// There is none.
        case unlimited
        /// A time in nanoseconds.
        case nanoseconds(UInt64)
        /// The field is not a time.
        case useless(String)
    }

    /// The name of the event's structure.
    public let name: String
    /// The field `reason`.
    public let reason: String?
    /// The field `duration`.
    public let duration: Time

    init(_ structure: UnsafePointer<GstStructure>) {
        name = String(cString: gst_structure_get_name(structure))
        reason = gst_structure_get_string(structure, "reason").map { String(cString: $0) }
        duration = gst_structure_get_value(structure, "duration").map(Self.time) ?? .unlimited
    }

    /// A clock time is a `guint64`; bindings send whole numbers of other types as well.
    private static func time(_ value: UnsafePointer<GValue>) -> Time {
        var number = GValue()
        g_value_init(&number, cgst_type_int64())
        defer { g_value_unset(&number) }
        let type = value.pointee.g_type
        if type == cgst_type_uint64() {
            let time = g_value_get_uint64(value)
            if time != 0 { return time == guint64.max ? .unlimited : .nanoseconds(UInt64(time)) }
        } else if [cgst_type_int(), cgst_type_uint(), cgst_type_int64()].contains(type),
            g_value_transform(value, &number) != 0, g_value_get_int64(&number) > 0
        {
            return .nanoseconds(UInt64(g_value_get_int64(&number)))
        }
        guard let text = gst_value_serialize(value) else { return .useless("") }
        defer { g_free(text) }
        return .useless(String(cString: text))
    }
}
