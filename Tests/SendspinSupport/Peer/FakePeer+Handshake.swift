import Durations
import JSON
import SendspinSecurity
@testable import SendspinProtocol
import WebSocket

extension FakePeer {
    /// Handles the first message of the client.
    mutating func open(_ message: WebSocketMessage, at now: Duration) {
        guard case .text(let text) = message else { return refuse("the first message is binary") }
        guard let (value, parsed) = parse(text) else { return refuse("the first message is malformed") }
        switch parsed {
        case .hello(let hello):
            guard settings.allowsLegacy else {
                report.violate("the client connected without encryption")
                return close(.policyViolation)
            }
            check(value)
            openLegacy(hello, at: now)
        case .initialization(let clientID, let version, let name):
            report.isEncrypted = true
            check(value)
            guard settings.allowsEncrypted else { return refuse(nil, reason: "unsupported_version") }
            guard version == 1 else { return refuse("the version is \(version)") }
            guard let suite = CipherSuite(name: name) else { return refuse(nil, reason: "unsupported_suite") }
            self.suite = suite
            openEncrypted(clientID, text)
        default: refuse("the first message is \(parsed.type)")
        }
    }

    private mutating func openEncrypted(_ clientID: String, _ text: [UInt8]) {
        guard let client = PublicKey(id: clientID) else { return refuse("the client_id is malformed") }
        report.clientID = clientID
        self.client = client
        let answerText = initialAnswer
        if settings.handshakeFault == .silence { return step = .over }
        outbox.append(.text(answerText))
        if settings.handshakeFault == .refusal { return close(.policyViolation) }
        let (key, category) = settings.beginsUnpaired ? (.sentinel, "sn") : keys.key(for: clientID)
        beginHandshake(prologue: text + answerText, key: key, category: category)
    }

    /// Text of `server/init`, or the text that a faulty server sends instead.
    private var initialAnswer: [UInt8] {
        let fault = settings.handshakeFault
        let id =
            switch fault {
            case .malformedIdentity: "AAAA"
            case .weakIdentity: URLSafeBase64.encode([UInt8](repeating: 0, count: 32))
            default: settings.identity.publicKey.id
            }
        let version = fault == .wrongVersion ? 2 : 1
        let message: ServerMessage =
            fault == .refusal
            ? .error(reason: "unsupported_version")
            : .initialization(serverID: id, version: version)
        switch fault {
        case .malformedAnswer: return Array("{".utf8)
        case .invalidFrame: return [0xFF]
        default: return message.json.bytes
        }
    }

    /// Sends the first message of a handshake.
    mutating func beginHandshake(prologue: [UInt8], key: PreSharedKey, category: String) {
        guard let client else { return }
        var initiator = HandshakeInitiator(suite: suite, prologue: prologue, own: settings.identity, peer: client)
        let id = settings.namesUnknownKey && transport == nil ? PreSharedKey.generate().id : key.id
        let fault = transport == nil ? settings.handshakeFault : nil
        let payload: JSONValue =
            switch fault {
            case .absentCategory: .object(["psk_id": .string(id)])
            case .unknownCategory: .object(["psk_id": .string(id), "psk_category": .string("xx")])
            default: .object(["psk_id": .string(id), "psk_category": .string(category)])
            }
        let text = fault == .malformedPayload ? [0xFF] : payload.bytes
        guard var message = try? initiator.writeFirst(text) else { return close(.internalError) }
        if fault == .changedMessage { message[40] ^= 1 }
        if fault == .shortMessage { message.removeLast(message.count - 40) }
        if fault == .binaryMessage { outbox.append(.binary(message)) }
        if fault != .binaryMessage { send(.handshake(URLSafeBase64.encode(message))) }
        let next = Step.handshake(initiator, key: key, category: category)
        // On an encrypted connection, the client encrypts with the old keys until it answers.
        if transport == nil { step = next } else { renewal = next }
    }

    /// Handles the second message of the first handshake.
    mutating func finishHandshake(_ message: WebSocketMessage) {
        guard case .text(let text) = message, let (value, parsed) = parse(text), case .handshake(let data) = parsed
        else {
            report.violate("the client sent something else than noise/handshake during the handshake")
            return close(.protocolError)
        }
        check(value)
        guard complete(step, data) else { return }
        if settings.handshakeFault == .silenceAfterAnswer { return step = .over }
        step = .hello
        send(.hello(ServerHello(name: settings.name, sourceCodecs: settings.sourceCodecs)))
    }

    /// Handles the answer to a new handshake on an encrypted connection.
    mutating func finishRenewal(_ data: String, at now: Duration) {
        guard let renewal else { return report.violate("the client sent noise/handshake without a handshake") }
        self.renewal = nil
        guard complete(renewal, data) else { return }
        pairing.activations = 0
        step = .silent(until: now + settings.activationDelay, .afterHandshake)
    }

    /// Finishes a handshake; returns false if the handshake has failed, so that the connection must be closed.
    private mutating func complete(_ step: Step, _ data: String) -> Bool {
        guard case .handshake(var initiator, let key, let category) = step else { return false }
        guard let message = URLSafeBase64.decode(data, atMost: Transport.maximumMessageLength) else {
            report.violate("the data of noise/handshake is not canonical base64url")
            close(.protocolError)
            return false
        }
        for (key, category) in transport == nil ? [(key, category), (.sentinel, "sn")] : [(key, category)] {
            guard let (payload, transport) = try? initiator.readSecond(message, key: key) else { continue }
            if payload != Array("{}".utf8) { report.violate("the payload of the second handshake message is not {}") }
            report.isCredentialMissing = report.isCredentialMissing || category != self.category(of: step)
            report.keyCategory = category
            report.handshakeCount += 1
            self.transport = transport
            return true
        }
        report.violate("the second handshake message is not authentic")
        close(.protocolError)
        return false
    }

    private func category(of step: Step) -> String? {
        guard case .handshake(_, _, let category) = step else { return nil }
        return category
    }

    private mutating func openLegacy(_ hello: ClientHello, at now: Duration) {
        report.clientID = hello.legacy?.clientID
        accept(hello)
        let admission = LegacyAdmission(
            serverID: settings.legacyServerID, roles: activeRoles(hello).map(\.rawValue),
            isForPlayback: settings.firstActivities.contains(.playback))
        send(.hello(ServerHello(name: settings.name, legacy: admission)))
        roles = Set(activeRoles(hello))
        report.isActive = true
        report.isForPlayback = true
        step = .active
        needsGreeting = true
        stateDeadline = now + settings.stateTime
    }

    private mutating func refuse(_ violation: String?, reason: String = "malformed") {
        if let violation { report.violate(violation) }
        send(.error(reason: reason))
        close(.policyViolation)
    }
}
