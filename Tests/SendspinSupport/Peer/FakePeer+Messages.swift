import Durations
import JSON
import SendspinProtocol
import WebSocket

extension FakePeer {
    /// Parses a text; returns nil and records a violation if the text is no message of a client.
    mutating func parse(_ text: [UInt8]) -> (JSONValue, ClientMessage)? {
        do {
            let value = try JSONValue(parsing: text)
            guard let message = try ClientMessage(parsing: value) else {
                report.violate("the client sent a message of an unknown type")
                return nil
            }
            report.counts[message.type, default: 0] += 1
            return (value, message)
        } catch {
            report.violate("the client sent a malformed message: \(error)")
            return nil
        }
    }

    /// Records a violation for each missing or undefined field of a message.
    mutating func check(_ value: JSONValue) {
        guard case .object(let object) = value, case .string(let type)? = object["type"] else { return }
        for name in object.members.map(\.name) where name != "type" && name != "payload" {
            report.violate("\(type) has the undefined field \(name) beside its payload")
        }
        guard let payload = object["payload"] else { return report.violate("\(type) has no payload") }
        guard let shape = MessageShape.payload(of: type, isLegacy: dialect == .legacy) else {
            return report.violate("a client may not send \(type)")
        }
        for deviation in shape.deviations(of: payload, type) { report.violate(deviation) }
    }

    /// Decrypts a message and joins fragments; returns nil if the message is incomplete or wrong.
    mutating func decrypted(_ message: WebSocketMessage) -> [UInt8]? {
        switch (message, transport) {
        case (.text(let text), nil): return [BinaryType.json] + text
        case (.text, .some):
            report.violate("the client sent a text message after the handshake")
            return nil
        case (.binary(let bytes), nil):
            report.violate("the client sent a binary message of type \(bytes.first ?? 0)")
            return nil
        case (.binary(let bytes), let transport?):
            guard let plaintext = try? transport.decrypt(bytes) else {
                report.violate("a message of the client is not authentic")
                close(.policyViolation)
                return nil
            }
            do {
                return try assembler.add(plaintext)
            } catch {
                report.violate("the client sent wrong fragments: \(error)")
                close(.policyViolation)
                return nil
            }
        }
    }

    /// Handles a complete decrypted message with its type.
    mutating func handle(_ plaintext: [UInt8], at arrival: Moment, now: Moment) {
        if plaintext.first == BinaryType.capturedAudio { return takeCapture(plaintext, at: arrival) }
        guard plaintext.first == BinaryType.json else {
            return report.violate("the client sent a binary message of type \(plaintext.first ?? 0)")
        }
        guard let (value, message) = parse(Array(plaintext.dropFirst())) else { return }
        check(value)
        switch step {
        case .hello:
            guard case .hello(let hello) = message else {
                if case .goodbye = message { return take(message, at: arrival, now: now) }
                return report.violate("the client sent \(message.type) before client/hello")
            }
            accept(hello)
            checkEncrypted(hello, value)
            step = .silent(until: now.local + settings.activationDelay, .first)
        case .silent:
            if case .goodbye = message { return take(message, at: arrival, now: now) }
            report.violate("the client sent \(message.type) before server/activate")
        default: take(message, at: arrival, now: now)
        }
    }

    /// Handles a message of an active client.
    private mutating func take(_ message: ClientMessage, at arrival: Moment, now: Moment) {
        switch message {
        case .initialization, .hello: report.violate("the client sent \(message.type) a second time")
        case .handshake(let data): finishRenewal(data, at: now.local)
        case .time(let time): answer(time, at: arrival, now: now)
        case .state(let state): accept(state)
        case .command(let command):
            report.commands.append(command)
            if !roles.contains(.controller) { report.violate("the client sent a command without the controller role") }
            if !offered.contains(command.name) { report.violate("the command \(command.name.rawValue) is not offered") }
        case .leave: break
        case .sourceStart(let stream): startCapture(stream)
        case .sourceEnd: endCapture()
        case .goodbye(let reason): report.goodbye = reason
        case .pairingStart(let index, _): startPairing(index)
        case .pairingKey(let text, _): finishPairing(text)
        case .pairingPending, .pairingShare, .pairingRetry, .pairingTag:
            report.violate("the client sent \(message.type), but this server pairs with the token only")
        case .pairingAbort(let reason):
            report.pairingAbort = reason
            pairing.isOpen = false
        }
    }

    private mutating func answer(_ time: Duration, at arrival: Moment, now: Moment) {
        if let last = lastTransmission, time <= last { report.violate("client_transmitted did not increase") }
        lastTransmission = time
        guard settings.answersTime else { return }
        send(.time(sent: time, received: arrival.server, transmitted: now.server))
    }
}
