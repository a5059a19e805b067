import JSON

extension ClientMessage {
    /// The message as JSON; some fields depend on the dialect.
    public func json(_ dialect: Dialect = .encrypted) -> JSONValue {
        .object(["type": .string(type), "payload": .object(payload(dialect))])
    }

    private func payload(_ dialect: Dialect) -> JSONObject {
        var payload = JSONObject()
        switch self {
        case .initialization(let message):
            payload.add("client_id", message.clientID)
            payload.add("version", message.version)
            payload.add("suite", message.suite)
        case .handshake(let data): payload.add("data", data)
        case .hello(let hello): return hello.json
        case .time(let time): payload.add("client_transmitted", microseconds: time)
        case .state(let state): return state.json(dialect)
        case .command(let command): payload.add("controller", command.json)
        case .leave: break
        case .goodbye(let reason): payload.add("reason", reason.rawValue)
        case .pairingStart(let index): payload.add("pairing_index", index)
        case .pairingKey(let key): payload.add("long_term_psk", key)
        case .pairingAbort(let reason): payload.add("reason", reason.rawValue)
        }
        return payload
    }

    /// Parses a message; nil if its type is unknown.
    public init?(parsing value: JSONValue) throws(WireFault) {
        let (type, reader) = try Envelope.open(value)
        switch type {
        case "client/init":
            self = .initialization(
                ClientInitialization(
                    clientID: try reader.string("client_id"),
                    version: Int(try reader.integer("version", in: 0...Int64(Int32.max))),
                    suite: try reader.string("suite")))
        case "noise/handshake": self = .handshake(try reader.string("data"))
        case "client/hello": self = .hello(try ClientHello(reader))
        case "client/time": self = .time(try reader.time("client_transmitted"))
        case "client/state": self = .state(try ClientState(reader))
        case "client/command": self = .command(try ControllerCommand(try reader.object("controller")))
        case "client/leave": self = .leave
        case "client/goodbye": self = .goodbye(try reader.choice("reason"))
        case "client/pair-init":
            self = .pairingStart(index: Int(try reader.integer("pairing_index", in: 0...Int64(Int32.max))))
        case "client/pair-finalize": self = .pairingKey(try reader.string("long_term_psk"))
        case "pair/abort": self = .pairingAbort(try reader.choice("reason"))
        default: return nil
        }
    }
}
