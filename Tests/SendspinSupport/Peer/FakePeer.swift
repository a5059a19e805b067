import Durations
import JSON
import SendspinSecurity
import SendspinProtocol
import WebSocket

/// The server's side of the protocol on one connection, without input and output.
///
/// The peer checks each message of the client strictly. After a violation, it continues as far as possible.
struct FakePeer {
    /// Progress of the connection.
    enum Step {
        /// The server waits for the first message of the client, encrypted or legacy.
        case opening
        /// The server waits for the second message of the handshake.
        case handshake(HandshakeInitiator, key: PreSharedKey, category: String)
        /// The server waits for `client/hello`.
        case hello
        /// The client must send nothing until this time, at which the server sends the activation.
        case silent(until: Duration, Activation)
        case active
        case over
    }

    /// An activation that the server will send.
    enum Activation {
        case first
        case afterHandshake
    }

    let settings: PeerSettings
    var keys: ServerKeys
    var report = ClientReport()
    var step = Step.opening
    /// Messages that the caller must send, in their order.
    var outbox: [WebSocketMessage] = []
    /// Code with which the caller must close the connection after it has sent the outbox; nil to keep it open.
    var closeCode: CloseCode?
    var transport: Transport?
    var assembler = FragmentAssembler(limit: 1 << 20)
    /// Roles that the server has activated.
    var roles: Set<Role> = []
    /// A new handshake on the encrypted connection, while the server waits for the answer.
    var renewal: Step?
    var client: PublicKey?
    var suite = CipherSuite.chaChaPoly
    var pairing = PairingProgress()
    /// Deadlines by which the client must confirm each command with `client/state`.
    var echoes: [Duration] = []
    var stateDeadline: Duration?
    /// Time of the newest `client/time`.
    var lastTransmission: Duration?
    /// Start of the current second and number of messages in it, to detect floods.
    var second = (start: Duration.zero, count: 0)
    /// Plaintexts to be sent after the activation, before which the client accepts no other message.
    private var held: [[UInt8]] = []
    /// Whether the caller must send group and descriptions, because roles have become active.
    var needsGreeting = false
    /// Whether the artwork stream was started.
    var isArtworkStarted = false
    /// Starts of the server that permit a stream of captured audio.
    var pendingStarts = 0
    /// Whether the client has an open stream of captured audio.
    var isCapturing = false
    /// Controller commands that the server offers.
    var offered: Set<ControllerCommandName> = []

    init(_ settings: PeerSettings, _ keys: ServerKeys) {
        self.settings = settings
        self.keys = keys
    }

    var dialect: Dialect { report.isEncrypted ? .encrypted : .legacy }

    /// Whether the player has its role, is available, and may receive audio.
    var isReady: Bool {
        guard case .active = step else { return false }
        return roles.contains(.player) && report.state?.isAvailable == true
    }

    /// Local time at which the caller must call `advance`; nil if there is no deadline.
    var deadline: Duration? {
        var times = echoes.prefix(1) + [stateDeadline].compactMap { $0 }
        if case .silent(let time, _) = step { times.append(time) }
        return times.min()
    }

    /// Handles a message that arrived at `arrival`.
    mutating func receive(_ message: WebSocketMessage, at arrival: Moment, now: Moment) {
        countFlood(at: arrival.local)
        guard report.goodbye == nil else { return report.violate("the client sent a message after its goodbye") }
        switch step {
        case .opening: open(message, at: now.local)
        case .handshake: finishHandshake(message)
        case .over: break
        case .hello, .silent, .active:
            guard let plaintext = decrypted(message) else { return }
            handle(plaintext, at: arrival, now: now)
        }
    }

    /// Sends a delayed activation, and records violations of deadlines, at the local time `now`.
    mutating func advance(to now: Duration) {
        if case .silent(let time, let activation) = step, now >= time { activate(activation, at: now) }
        if let echo = echoes.first, now >= echo {
            echoes.removeFirst()
            report.violate("the client did not confirm a command with client/state in time")
        }
        if let time = stateDeadline, now >= time {
            stateDeadline = nil
            report.violate("the client sent no client/state after server/activate in time")
        }
    }

    mutating func endSilence() {
        if case .silent(_, let activation) = step { step = .silent(until: .zero, activation) }
    }

    /// Sends a message in the dialect of the connection.
    mutating func send(_ message: ServerMessage) { send(json: message.json.bytes) }

    /// Sends a text as a message, which need not be valid.
    mutating func send(json text: [UInt8]) {
        if dialect == .legacy || transport == nil {
            outbox.append(.text(text))
        } else {
            send(binary: [BinaryType.json] + text)
        }
    }

    /// Sends a message with its type, in fragments if the message is long.
    mutating func send(binary message: [UInt8]) {
        guard transport != nil else { return outbox.append(.binary(message)) }
        for plaintext in Fragments.split(message) { send(plaintext: plaintext) }
    }

    /// Encrypts and sends bytes that need not be a valid message.
    mutating func send(plaintext: [UInt8]) {
        if isHolding { return held.append(plaintext) }
        guard let transport, let message = try? transport.encrypt(plaintext) else {
            return outbox.append(.binary(plaintext))
        }
        outbox.append(.binary(message))
    }

    /// Whether the client accepts only messages that continue the handshake.
    private var isHolding: Bool {
        if case .silent = step { return true }
        return renewal != nil
    }

    /// Sends the plaintexts that waited for the activation.
    mutating func release() {
        let plaintexts = held
        held = []
        for plaintext in plaintexts { send(plaintext: plaintext) }
    }

    mutating func close(_ code: CloseCode) {
        step = .over
        closeCode = code
    }

    private mutating func countFlood(at arrival: Duration) {
        if arrival - second.start >= .seconds(1) { second = (arrival, 0) }
        second.count += 1
        // Captured audio of many channels has several messages for each chunk.
        if second.count == (isCapturing ? 2001 : 201) {
            report.violate("the client sent more than 200 messages in a second")
        }
    }
}
