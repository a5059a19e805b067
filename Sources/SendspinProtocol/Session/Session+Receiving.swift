import Durations
import JSON

extension Session {
    mutating func take(_ message: inout SocketMessage, at arrival: Duration) throws(SessionFailure) {
        counters.messagesReceived += 1
        guard message.bytes.count <= configuration.limits.messageSize else {
            throw .violation("a message has \(message.bytes.count) bytes")
        }
        if phase.isOpen { return try takeOpen(&message, at: arrival) }
        guard case .text(let text) = message else {
            throw .violation("a binary message arrived instead of \(phase.description)")
        }
        try takeHandshake(text, at: arrival)
    }

    private mutating func takeOpen(_ message: inout SocketMessage, at arrival: Duration) throws(SessionFailure) {
        guard configuration.dialect == .encrypted else {
            switch message {
            case .text(let text): return try takeText(text, at: arrival)
            case .binary(let bytes): return try takeBinary(bytes, at: arrival)
            }
        }
        guard case .binary = message else { throw .violation("a message is not encrypted") }
        // The link is moved out of the session, so that its fragments are not copied. A fault ends the session, so the
        // link is not moved back then.
        guard var link = link.take() else { return }
        let content = try link.receive(message.take())
        self.link = link
        guard let content else { return }
        if content.first == BinaryType.json {
            try takeText(Array(content.dropFirst()), at: arrival)
        } else {
            try takeBinary(content, at: arrival)
        }
    }

    /// Parses a text; nil for an unknown type, or for a fault that does not end the connection.
    mutating func parse(_ text: [UInt8]) throws(SessionFailure) -> ServerMessage? {
        let limits = JSONLimits(byteCount: configuration.limits.textSize, depth: configuration.limits.textDepth)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, limits: limits)
        } catch {
            throw .violation("a text is no JSON: \(PeerText.make("\(error)"))")
        }
        guard let type = ServerMessage.type(of: value) else { throw .violation("a text is not a message") }
        let previous = configuration.dialect == .legacy ? metadata.latest : nil
        do throws(WireFault) {
            return try ServerMessage(parsing: value, updating: previous)
        } catch {
            switch type {
            case "server/init", "noise/handshake", "server/hello", "server/activate", "stream/start":
                throw .violation("\(type) is malformed: \(error)")
            case "server/pair-init", "server/pair-auth", "server/pair-confirm":
                // After an attempt has ended, its messages may still arrive.
                guard pairing.exchange == nil else { throw Self.pairingFault }
                ignore(type, "\(error)")
                return nil
            default:
                ignore(type, "\(error)")
                return nil
            }
        }
    }

    /// Counts an ignored message; reports the first of its type.
    mutating func ignore(_ type: String, _ clause: String) {
        counters.messagesIgnored += 1
        // The server chooses the text of the type, so at most 32 types are reported.
        let type = PeerText.make(type)
        guard reportedTypes.count < 32, reportedTypes.insert(type).inserted else { return }
        emit(.ignored("A message \(type) of the server is ignored: \(clause)."))
    }
}
