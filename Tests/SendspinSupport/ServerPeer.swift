import JSON
import SendspinSecurity
@testable import SendspinProtocol

/// A message of a WebSocket connection, without its framing.
package enum PeerMessage: Equatable, Sendable {
    case text([UInt8])
    case binary([UInt8])
}

/// The server's side of the protocol without input and output, for handshakes, encryption and fragments.
///
/// The caller decides which messages are sent, so it can also violate the protocol.
package struct ServerPeer: Sendable {
    /// Reason why the server does not accept a message of the client.
    package enum Fault: Error {
        case unexpected(String)
        case unknownMessage
    }

    private enum Step: Sendable {
        case awaitingInitialization
        case awaitingSecond(HandshakeInitiator)
        case open
    }

    /// Identity of the server.
    package let identity: KeyPair
    /// Protocol of the connection.
    package let dialect: Dialect
    /// Key that the server proposes in the next handshake, and category of the key.
    package var proposal: (key: PreSharedKey, category: String)
    /// Public key of the client; nil before its first message.
    package private(set) var client: PublicKey?
    /// Category of the key in use; nil before the handshake is complete.
    ///
    /// The category is `sn` if the client does not have the proposed key.
    package private(set) var category: String?

    /// Chunks of captured audio that the client has sent.
    package private(set) var captured: [SourceChunk] = []

    private var step = Step.awaitingInitialization
    private var suite = CipherSuite.chaChaPoly
    private var transport: Transport?
    private var assembler = FragmentAssembler(limit: 1 << 20)

    package init(
        identity: KeyPair = .generate(), dialect: Dialect = .encrypted, key: PreSharedKey = .sentinel,
        category: String = "sn"
    ) {
        self.identity = identity
        self.dialect = dialect
        proposal = (key, category)
        if dialect == .legacy { step = .open }
    }

    /// Public key of the server as text.
    package var serverID: String { identity.publicKey.id }

    /// Whether messages can be sent.
    package var isOpen: Bool { if case .open = step { true } else { false } }
}

// MARK: - Sending

extension ServerPeer {
    /// Returns the WebSocket messages for a message.
    package func messages(_ message: ServerMessage) throws -> [PeerMessage] {
        try messages(text: message.json.bytes)
    }

    /// Returns the WebSocket messages for a text, which may be malformed.
    package func messages(text: [UInt8]) throws -> [PeerMessage] {
        guard let transport else { return [.text(text)] }
        return try Fragments.split([BinaryType.json] + text).map { .binary(try transport.encrypt($0)) }
    }

    /// Returns the WebSocket messages for a binary message with its type.
    package func messages(binary message: [UInt8]) throws -> [PeerMessage] {
        guard let transport else { return [.binary(message)] }
        return try Fragments.split(message).map { .binary(try transport.encrypt($0)) }
    }

    /// Returns one transport message with `plaintext`, which may be malformed.
    package func message(plaintext: [UInt8]) throws -> PeerMessage {
        guard let transport else { return .binary(plaintext) }
        return .binary(try transport.encrypt(plaintext))
    }

    /// Starts a new handshake with `proposal` on an open connection.
    package mutating func renewKeys() throws -> [PeerMessage] {
        guard let transport, let client else { throw Fault.unexpected("no connection") }
        return try beginHandshake(prologue: transport.handshakeHash, client: client)
    }
}

// MARK: - Receiving

extension ServerPeer {
    /// Handles a message of the client, and returns the decoded message and the replies of the handshake.
    package mutating func receive(_ message: PeerMessage) throws -> (message: ClientMessage?, replies: [PeerMessage]) {
        guard let text = try text(of: message) else { return (nil, []) }
        guard let decoded = try ClientMessage(parsing: try JSONValue(parsing: text)) else { throw Fault.unknownMessage }
        switch (step, decoded) {
        case (.awaitingInitialization, .initialization(let clientID, _, let name)):
            guard let client = PublicKey(id: clientID), let suite = CipherSuite(name: name) else {
                throw Fault.unexpected("the client_id or the suite")
            }
            self.client = client
            self.suite = suite
            let identification = ServerMessage.initialization(serverID: serverID).json.bytes
            return (
                decoded,
                [.text(identification)] + (try beginHandshake(prologue: text + identification, client: client))
            )
        case (.awaitingSecond(let initiator), .handshake(let data)):
            try finish(initiator, data)
            return (decoded, [])
        case (.awaitingSecond, _) where transport != nil: return (decoded, [])
        case (.open, _): return (decoded, [])
        default: throw Fault.unexpected(decoded.type)
        }
    }

    /// The JSON text of a message; nil for a fragment that is not the last fragment.
    private mutating func text(of message: PeerMessage) throws -> [UInt8]? {
        switch (message, transport) {
        case (.text(let text), nil): return text
        case (.binary(let bytes), .some(let transport)):
            guard let content = try assembler.add(try transport.decrypt(bytes)) else { return nil }
            if let chunk = SourceChunk(captured: content) {
                captured.append(chunk)
                return nil
            }
            guard content.first == BinaryType.json else { throw Fault.unexpected("a binary message") }
            return Array(content.dropFirst())
        default: throw Fault.unexpected("the type of a WebSocket message")
        }
    }

    private mutating func beginHandshake(prologue: [UInt8], client: PublicKey) throws -> [PeerMessage] {
        var initiator = HandshakeInitiator(suite: suite, prologue: prologue, own: identity, peer: client)
        let reference = JSONValue.object([
            "psk_id": .string(proposal.key.id), "psk_category": .string(proposal.category),
        ])
        let first = try initiator.writeFirst(reference.bytes)
        step = .awaitingSecond(initiator)
        return try messages(.handshake(URLSafeBase64.encode(first)))
    }

    private mutating func finish(_ initiator: HandshakeInitiator, _ data: String) throws {
        guard let second = URLSafeBase64.decode(data, atMost: 4096) else { throw Fault.unexpected("the base64url") }
        var initiator = initiator
        let payload: [UInt8]
        do {
            (payload, transport) = try initiator.readSecond(second, key: proposal.key)
            category = proposal.category
        } catch {
            (payload, transport) = try initiator.readSecond(second, key: .sentinel)
            category = "sn"
        }
        guard payload == Array("{}".utf8) else { throw Fault.unexpected("the payload of the handshake") }
        step = .open
    }
}
