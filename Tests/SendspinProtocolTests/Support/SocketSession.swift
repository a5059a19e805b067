import TestSupport
import SendspinSecurity
import SendspinProtocol
import SendspinSupport
import Sockets
import Threads
import WebSocket

/// The session of the player on a real socket, used by one thread.
final class SocketSession {
    private(set) var session: Session
    private(set) var events: [SessionEvent] = []
    private(set) var isClosed = false
    let credentials: Credentials
    private let socket: WebSocket

    init(
        _ server: FakeServer, credentials: Credentials? = nil, dialect: Dialect = .encrypted,
        suite: CipherSuite = .chaChaPoly
    ) throws {
        var configuration = SessionConfiguration(
            name: "Test", roles: Role.ofPlayers,
            formats: [
                FakeStream.flac().format, FakeStream.pcm().format, FakeStream.pcm(bitDepth: 24).format,
            ], bufferCapacity: 2_000_000,
            artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 100, height: 100)], dialect: dialect,
            legacyClientID: "legacy client", suite: suite)
        configuration.limits.stepTimeout = .seconds(3)
        self.credentials =
            credentials ?? Credentials(identity: .generate(), pairingKey: .generate(), records: [])
        session = Session(configuration, self.credentials, PlayerState(requiredLeadTime: .milliseconds(300)))
        socket = try WebSocket.connect(to: server.address, waker: try Waker())
        perform(session.start(at: MonotonicClock.now))
    }

    var token: PairingToken {
        PairingToken(client: credentials.identity.publicKey, key: credentials.pairingKey)
    }

    var chunks: [AudioChunk] { events.compactMap { if case .chunk(let chunk) = $0 { chunk } else { nil } } }

    /// Whether the clock of the server is known well enough to play.
    var isConverged: Bool { events.contains { if case .clock(_, isConverged: true) = $0 { true } else { false } } }

    var failure: SessionFailure? {
        events.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
    }

    func change(_ body: (inout Session) -> [SessionAction]) { perform(body(&session)) }

    func forgetEvents() { events = [] }

    /// Runs until a condition is true; returns false after `timeout`, or when the session is closed.
    func run(_ timeout: Duration = patience, until condition: (SocketSession) -> Bool) -> Bool {
        let end = MonotonicClock.now + timeout
        while !condition(self) {
            if isClosed || MonotonicClock.now >= end { return false }
            let deadline = session.deadline.map { min($0, end) } ?? end
            switch socket.wait(until: deadline) {
            case .message(.text(let text), let time): perform(session.receive(.text(text), at: time))
            case .message(.binary(let bytes), let time): perform(session.receive(.binary(bytes), at: time))
            case .closed:
                perform(session.connectionLost())
                isClosed = true
            default: break
            }
            perform(session.advance(to: MonotonicClock.now))
        }
        return true
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .send(.text(let text)): socket.send(.text(text))
            case .send(.binary(let bytes)): socket.send(.binary(bytes))
            case .close:
                _ = socket.flush(until: MonotonicClock.now + .seconds(1))
                socket.close()
                isClosed = true
            case .event(let event): events.append(event)
            }
        }
    }
}
