import JSON

extension ServerMessage {
    /// Returns the type of a message, known or unknown; nil if `value` is not a message.
    public static func type(of value: JSONValue) -> String? {
        guard case .object(let object) = value, case .string(let type) = object["type"] else { return nil }
        return type
    }

    /// Parses a message; nil for an unknown type.
    ///
    /// Legacy servers send only changed fields of the metadata; `previous` provides the other fields.
    public init?(parsing value: JSONValue, updating previous: Metadata? = nil) throws(WireFault) {
        let (type, reader) = try Envelope.open(value)
        switch type {
        case "server/init":
            self = .initialization(
                serverID: try reader.string("server_id"),
                version: Int(try reader.integer("version", in: 0...Int64(Int32.max))))
        case "server/error": self = .error(reason: try reader.optionalText("reason") ?? "unknown")
        case "noise/handshake": self = .handshake(try reader.string("data"))
        case "server/hello": self = .hello(try ServerHello(reader))
        case "server/activate": self = .activation(try ServerActivation(reader))
        case "server/time":
            self = .time(
                sent: try reader.time("client_transmitted"), received: try reader.time("server_received"),
                transmitted: try reader.time("server_transmitted"))
        case "server/state": self = .state(try ServerState(reader, updating: previous))
        case "server/command":
            self = .command(
                try reader.optionalObject("player").flatMap { object throws(WireFault) in
                    try PlayerCommand(object)
                },
                // A fault of this object must not cost the command of the player.
                source: try? reader.optionalObject("source")?.knownChoice("command"))
        case "group/update": self = .group(try GroupUpdate(reader))
        case "stream/start": self = .streamStart(try StreamStart(reader))
        case "stream/clear": self = .streamClear(try StreamScope(reader))
        case "stream/end": self = .streamEnd(try StreamScope(reader))
        case "server/unpair": self = .unpair
        case "server/pair-init": self = .pairingRound(nonce: try reader.optionalString("nonce_A"))
        case "server/pair-auth": self = .pairingShare(try reader.string("pake_msg_1"))
        case "server/pair-confirm": self = .pairingTag(try reader.string("server_kc"))
        case "server/pair-finalize": self = .pairingDone
        case "pair/abort": self = .pairingAbort(try reader.optionalText("reason") ?? "unknown")
        default: return nil
        }
    }
}

extension ServerState {
    init(_ reader: FieldReader, updating previous: Metadata?) throws(WireFault) {
        if let object = try reader.optionalObject("metadata") {
            metadata = try Metadata(object, updating: previous)
        }
        if let object = try reader.optionalObject("controller") { controller = try ControllerState(object) }
        // A fault of this object must not cost the others.
        palette = try? Self.palette(reader)
    }

    private static func palette(_ reader: FieldReader) throws(WireFault) -> Palette? {
        guard reader.has("color") else { return nil }
        // Some servers send null when there are no colours.
        return try reader.optionalObject("color").map { object throws(WireFault) in try Palette(object) }
            ?? Palette(timestamp: .zero)
    }
}
