import JSON

/// Fields that a message of a client may and must have.
///
/// A client must not send fields that the protocol does not define.
struct MessageShape {
    var required: [String]
    var optional: [String] = []
    /// Shapes of the fields that are objects, or lists of objects.
    var nested: [String: MessageShape] = [:]

    /// Returns a clause for each deviation of an object from this shape.
    func deviations(of value: JSONValue, _ name: String) -> [String] {
        if case .array(let elements) = value { return elements.flatMap { deviations(of: $0, name) } }
        guard case .object(let object) = value else { return ["\(name) is not an object"] }
        let known = required + optional + nested.keys
        var found = object.repeatedNames.map { "\(name) repeats \($0)" }
        for field in required where object[field] == nil { found.append("\(name) lacks \(field)") }
        for (field, value) in object.members {
            if !known.contains(field) { found.append("\(name) has the undefined field \(field)") }
            if value == .null { found.append("\(name).\(field) is null") }
            if let shape = nested[field], value != .null {
                found += shape.deviations(of: value, "\(name).\(field)")
            }
        }
        return found
    }
}

extension MessageShape {
    /// Shape of the payload of a message; nil if a client must not send messages of this type.
    static func payload(of type: String, isLegacy: Bool) -> MessageShape? {
        if isLegacy, let shape = legacy[type] { return shape }
        return current[type]
    }

    private static let format = MessageShape(required: ["codec", "channels", "sample_rate", "bit_depth"])
    private static let device = MessageShape(
        required: [], optional: ["product_name", "manufacturer", "software_version", "mac_address"])
    private static let channels = MessageShape(
        required: ["channels"],
        nested: ["channels": MessageShape(required: ["source"], optional: ["format", "width", "height"])])

    private static let current: [String: MessageShape] = [
        "client/init": MessageShape(required: ["client_id", "version", "suite"]),
        "noise/handshake": MessageShape(required: ["data"]),
        "client/hello": MessageShape(
            required: ["name", "supported_roles", "supported_pair_methods", "unpaired_access"],
            nested: [
                "device_info": device,
                "player@v1_support": MessageShape(
                    required: ["supported_formats", "buffer_capacity"], nested: ["supported_formats": format]),
                "visualizer@v1_support": MessageShape(required: ["buffer_capacity"]),
                "source@v1_support": MessageShape(
                    required: [], nested: ["features": MessageShape(required: [], optional: ["line_sense"])]),
                "supported_pair_methods": MessageShape(
                    required: ["pairing_psk"], optional: ["static_pairing_code"],
                    nested: [
                        "pairing_psk": MessageShape(required: [], optional: ["locations"]),
                        "dynamic_pairing_code": MessageShape(required: ["out_channels", "formats"]),
                    ]),
                "unpaired_access": MessageShape(required: ["enabled"]),
            ]),
        "client/time": MessageShape(required: ["client_transmitted"]),
        "client/state": MessageShape(
            required: ["available"],
            nested: [
                "player": MessageShape(
                    required: ["output_delay_ms", "required_lead_time_ms", "min_buffer_ms", "supported_commands"],
                    optional: ["volume", "muted"], nested: ["format": format]),
                "visualizer": MessageShape(
                    required: ["types", "rate_max"],
                    nested: ["spectrum": MessageShape(required: ["n_disp_bins", "scale", "f_min", "f_max"])]),
                "artwork": channels, "source": MessageShape(required: [], optional: ["signal"]),
            ]),
        "client-stream/start": MessageShape(
            required: ["source"],
            nested: [
                "source": MessageShape(
                    required: ["codec", "channels", "sample_rate", "bit_depth"], optional: ["codec_header"])
            ]),
        "client-stream/end": MessageShape(required: []),
        "client/command": MessageShape(
            required: ["controller"],
            nested: [
                "controller": MessageShape(
                    required: ["command"], optional: ["volume", "mute", "position_ms", "offset_ms"])
            ]),
        "client/leave": MessageShape(required: []),
        "client/goodbye": MessageShape(required: ["reason"]),
        "client/pair-pending": MessageShape(required: ["pairing_index"], optional: ["message"]),
        "client/pair-init": MessageShape(required: ["pairing_index"], optional: ["commit_B"]),
        "client/pair-auth": MessageShape(required: ["pake_msg_2"]),
        "client/pair-retry": MessageShape(required: []),
        "client/pair-confirm": MessageShape(required: ["client_kc", "wrapped_nonce_B"]),
        "client/pair-finalize": MessageShape(required: [], optional: ["long_term_psk", "wrapped_psk"]),
        "pair/abort": MessageShape(required: ["reason"]),
    ]

    private static let legacy: [String: MessageShape] = [
        "client/hello": MessageShape(
            required: ["client_id", "version", "name", "supported_roles"],
            nested: [
                "device_info": device,
                "player@v1_support": MessageShape(
                    required: ["supported_formats", "buffer_capacity", "supported_commands"],
                    nested: ["supported_formats": format]),
                "artwork@v1_support": MessageShape(
                    required: ["channels"],
                    nested: [
                        "channels": MessageShape(
                            required: ["source"], optional: ["format", "media_width", "media_height"])
                    ]),
            ]),
        "client/state": MessageShape(
            required: ["state"],
            nested: ["player": MessageShape(required: [], optional: ["volume", "muted", "static_delay_ms"])]),
    ]
}
