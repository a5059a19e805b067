/// The values of the fields of a message in a trace, by the names of the fields in the schema.
struct Message {
    struct Unknown: Error { let field: Int, message: String }

    private var values: [String: [ProtobufReader.Value]] = [:]

    /// Reads a message; throws if the message has a field that is not in `fields`.
    ///
    /// `fields` has the name of each field by the number of the field.
    init(_ bytes: [UInt8], _ name: String, _ fields: [Int: String]) throws {
        for (number, value) in try ProtobufReader.fields(bytes) {
            guard let field = fields[number] else { throw Unknown(field: number, message: name) }
            values[field, default: []].append(value)
        }
    }

    func has(_ field: String) -> Bool { values[field] != nil }
    func number(_ field: String) -> UInt64? { values[field]?.last?.number }
    func text(_ field: String) -> String? { values[field]?.last?.text }
    func fixed(_ field: String) -> [UInt64] { (values[field] ?? []).compactMap(\.fixed) }

    /// The messages that a field contains.
    func messages(_ field: String, _ fields: [Int: String]) throws -> [Message] {
        try (values[field] ?? []).map { value in
            guard let bytes = value.bytes else { throw ProtobufReader.Malformed(place: 0) }
            return try Message(bytes, field, fields)
        }
    }

    /// The last message that a field contains; nil if there is none.
    func message(_ field: String, _ fields: [Int: String]) throws -> Message? { try messages(field, fields).last }
}

/// The part of Perfetto's public schema that traces use, from `protos/perfetto/trace` of github.com/google/perfetto.
enum Schema {
    static let trace = [1: "packet"]
    static let packet = [
        6: "clock_snapshot", 8: "timestamp", 10: "trusted_packet_sequence_id", 11: "track_event", 12: "interned_data",
        13: "sequence_flags", 59: "trace_packet_defaults", 60: "track_descriptor", 87: "first_packet_on_sequence",
    ]
    static let defaults = [11: "track_event_defaults", 58: "timestamp_clock_id"]
    static let eventDefaults = [11: "track_uuid"]
    static let event = [
        4: "debug_annotations", 9: "type", 10: "name_iid", 11: "track_uuid", 30: "counter_value", 47: "flow_ids",
        48: "terminating_flow_ids",
    ]
    static let annotation = [1: "name_iid", 3: "uint_value", 4: "int_value", 6: "string_value"]
    static let interned = [2: "event_names", 3: "debug_annotation_names"]
    static let internedName = [1: "iid", 2: "name"]
    static let track = [1: "uuid", 2: "name", 3: "process", 4: "thread", 5: "parent_uuid", 8: "counter"]
    static let process = [1: "pid", 6: "process_name"]
    static let thread = [1: "pid", 2: "tid", 5: "thread_name"]
    static let counter = [3: "unit"]
    static let clocks = [1: "clocks", 2: "primary_trace_clock"]
    static let clock = [1: "clock_id", 2: "timestamp"]
}
