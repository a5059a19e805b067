import JSON
import TestSupport
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import Testing
import Sockets
import Threads
import WebSocket

/// A small Sendspin client for the tests of the fake server, used by one thread.
final class FakeClient {
    /// A received message.
    enum Item {
        case message(ServerMessage)
        case chunk(AudioChunk)
        case artwork(ArtworkMessage)
        case other([UInt8])
    }

    let identity: KeyPair
    let dialect: Dialect
    var items: [Item] = []
    /// Keys that the client uses if the server names their identifiers.
    var keys: [PreSharedKey] = []
    private(set) var closure: WebSocketClosure?
    private(set) var transport: Transport?
    /// Category of the last handshake.
    private(set) var category: String?
    private let socket: WebSocket
    private var prologue: [UInt8] = []
    private var eager: ClientMessage?
    private var serverKey: PublicKey?
    private var assembler = FragmentAssembler(limit: 1 << 24)

    init(_ server: FakeServer, identity: KeyPair = .generate(), dialect: Dialect = .encrypted) throws {
        self.identity = identity
        self.dialect = dialect
        socket = try WebSocket.connect(to: server.address, waker: try Waker())
    }

    /// Takes a connection that the server opened.
    init(accepted socket: WebSocket) {
        identity = .generate()
        dialect = .encrypted
        self.socket = socket
    }

    var messages: [ServerMessage] {
        items.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var chunks: [AudioChunk] { items.compactMap { if case .chunk(let chunk) = $0 { chunk } else { nil } } }

    /// Types of all received messages and chunks except `server/time`, without repetitions of the same type.
    var outline: [String] {
        var types: [String] = []
        for item in items {
            let type =
                switch item {
                case .message(let message): message.type
                case .chunk: "chunk"
                case .artwork: "artwork"
                case .other: "other"
                }
            if type != "server/time", types.last != type { types.append(type) }
        }
        return types
    }

    /// Connects completely, with handshake, hello messages, activation, time exchanges and state.
    func join(_ hello: ClientHello = .player()) throws {
        try open(hello)
        try synchronize()
        send(.state(.ready))
    }

    /// Connects up to the first activation.
    func open(_ hello: ClientHello = .player(), timeout: Duration = patience) throws {
        var hello = hello
        guard dialect == .encrypted else {
            hello.legacy = LegacyHello(clientID: "legacy client", commands: [.volume, .mute])
            send(.hello(hello))
            try require(timeout) { $0.messages.contains { $0.type == "server/hello" } }
            return
        }
        let text = ClientMessage.initialization(clientID: identity.publicKey.id).json().bytes
        prologue = text
        socket.send(.text(text))
        try require(timeout) { $0.messages.contains { $0.type == "server/hello" } }
        send(.hello(hello))
        if let eager { send(eager) }
        try require(timeout) { $0.messages.contains { $0.type == "server/activate" } }
    }

    /// Connects up to the first activation, and sends a message before it.
    func openEagerly(_ message: ClientMessage) throws {
        eager = message
        try open()
    }

    /// Exchanges times with the server.
    func synchronize(_ count: Int = 3) throws {
        for _ in 0..<count {
            let before = messages.count { $0.type == "server/time" }
            send(.time(MonotonicClock.now))
            try require { $0.messages.count { $0.type == "server/time" } > before }
        }
    }

    func send(_ message: ClientMessage) { send(json: message.json(dialect).bytes) }

    func send(json text: [UInt8]) {
        if transport == nil { socket.send(.text(text)) } else { send(plaintext: [BinaryType.json] + text) }
    }

    func send(plaintext: [UInt8]) {
        guard let message = try? transport?.encrypt(plaintext) else { return }
        socket.send(.binary(message))
    }

    func sendRaw(_ message: WebSocketMessage) { socket.send(message) }

    func close() { socket.close() }

    /// Receives until a condition is true; returns false after `timeout`, or when the connection ends.
    @discardableResult
    func receive(_ timeout: Duration = patience, until condition: (FakeClient) -> Bool) -> Bool {
        let end = MonotonicClock.now + timeout
        while !condition(self) {
            switch socket.wait(until: end) {
            case .message(let message, _): take(message)
            case .closed(let closure):
                self.closure = closure
                return condition(self)
            default: return condition(self)
            }
        }
        return true
    }

    /// Receives until a condition is true; throws after `timeout`, or when the connection ends.
    private func require(_ timeout: Duration = patience, until condition: (FakeClient) -> Bool) throws {
        guard receive(timeout, until: condition) else { throw Incomplete(types: outline) }
    }

    private func take(_ message: WebSocketMessage) {
        guard let transport else {
            if case .text(let text) = message { return take(json: text) }
            return take(plaintext: message.bytes)
        }
        if case .text(let text) = message { return items.append(.other(text)) }
        guard let plaintext = try? transport.decrypt(message.bytes) else {
            Issue.record("a message of the server is not authentic")
            return
        }
        guard let whole = try? assembler.add(plaintext) else { return }
        take(plaintext: whole)
    }

    private func take(plaintext: [UInt8]) {
        if plaintext.first == BinaryType.json { return take(json: Array(plaintext.dropFirst())) }
        if plaintext.first == BinaryType.audio, let chunk = try? AudioChunk(parsing: plaintext, dialect) {
            items.append(.chunk(chunk))
        } else if let artwork = try? ArtworkMessage(parsing: plaintext, dialect) {
            items.append(.artwork(artwork))
        } else {
            items.append(.other(plaintext))
        }
    }

    private func take(json text: [UInt8]) {
        guard let value = try? JSONValue(parsing: text), let message = try? ServerMessage(parsing: value) else {
            return items.append(.other(text))
        }
        if case .initialization(let serverID, _) = message {
            prologue += text
            serverKey = PublicKey(id: serverID)
        }
        if case .handshake(let data) = message { answerHandshake(data) }
        items.append(.message(message))
    }

    private func answerHandshake(_ data: String) {
        guard let serverKey, let message = URLSafeBase64.decode(data, atMost: 65_535) else { return }
        var responder = HandshakeResponder(
            suite: .chaChaPoly, prologue: transport?.handshakeHash ?? prologue, own: identity, peer: serverKey)
        guard let payload = try? responder.readFirst(message), let value = try? JSONValue(parsing: payload),
            case .object(let object) = value, case .string(let id)? = object["psk_id"],
            case .string(let category)? = object["psk_category"]
        else { return }
        self.category = category
        let key = keys.first { $0.id == id } ?? .sentinel
        guard let (answer, next) = try? responder.writeSecond(Array("{}".utf8), key: key) else { return }
        send(.handshake(URLSafeBase64.encode(answer)))
        transport = next
    }
}

/// The error if the server did not send the expected messages; `types` has the types of the received messages.
struct Incomplete: Error {
    let types: [String]
}

extension ClientHello {
    static func player(
        _ formats: [AudioFormat] = [FakeStream.pcm().format, FakeStream.flac().format], roles: [Role] = [.player],
        capacity: Int = 4 << 20
    ) -> ClientHello {
        ClientHello(
            name: "test", roles: roles, formats: formats, bufferCapacity: capacity, isUnpairedAccessEnabled: true)
    }
}

extension ClientState {
    static let ready = ClientState(
        isAvailable: true, player: PlayerReport(volume: 50, isMuted: false, commands: [.volume, .mute]))
}
