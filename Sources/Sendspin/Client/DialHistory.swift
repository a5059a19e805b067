import GStreamer
import SendspinProtocol
import WebSocket

/// Outcomes of connection attempts, and the dialect and pause of the next attempt.
struct DialHistory {
    private static let mostAddresses = 16

    var pause = BackOff()
    private(set) var dialect = Dialect.encrypted
    /// Addresses of servers that gave no role in the last attempt, the earliest failure first.
    private(set) var failed: [WebSocketAddress] = []
    /// Whether `address` may be tried without encryption; nil if the user does not allow unencrypted connections.
    private var mayBeUnencrypted: Bool?
    private var address: WebSocketAddress?
    private var lastWarning: String?
    /// Errors of consecutive failed handshakes, at most two.
    private var failedHandshakes: [String] = []

    /// Begins an attempt; called only if the user allows connections without encryption.
    mutating func begin(_ address: WebSocketAddress, mayBeUnencrypted: Bool) {
        self.mayBeUnencrypted = mayBeUnencrypted
        // The failure of one server must not disable the encryption of another server.
        if address != self.address || !mayBeUnencrypted { (dialect, failedHandshakes) = (.encrypted, []) }
        self.address = address
    }

    /// Notes the end of a connection; returns a warning unless it repeats the last one.
    mutating func note(_ outcome: ServerConnection.Outcome, _ address: WebSocketAddress) -> ElementError? {
        if outcome.wasConnected { failedHandshakes = [] }
        // A server that closes each connection after its greeting must not be dialed again after the shortest pause.
        if outcome.wasLong || outcome.hadRole { pause = BackOff() }
        if outcome.wasLong, outcome.hadRole { lastWarning = nil }
        // A server that never gives a role must not exclude other servers.
        if outcome.hadRole { failed.removeAll { $0 == address } } else { avoid(address) }
        guard let failure = outcome.failure else { return nil }
        let isOfHandshake = !outcome.wasConnected && failure.kind.isOfHandshake
        if isOfHandshake, mayBeUnencrypted == true { return handshakeFailed(failure, address) }
        if !failure.isTransient { pause = .longest }
        let hint =
            isOfHandshake && mayBeUnencrypted == false
            ? " allow-unencrypted=true does not apply: the server has encrypted before, or this player is paired, or "
                + "unpaired-access is never." : ""
        return warning("\(address): \(failure.text)\(hint)") {
            .resource(failure.isTransient ? .read : .notAuthorized, $0)
        }
    }

    /// Notes a failed connection attempt; returns a warning unless it repeats the last one.
    mutating func note(_ error: WebSocketError, _ address: WebSocketAddress) -> ElementError? {
        avoid(address)
        return warning("\(error)") { .resource(.openRead, $0) }
    }

    /// Selects the other dialect: a server of 2025 does not support the first encrypted message.
    private mutating func handshakeFailed(_ failure: SessionFailure, _ address: WebSocketAddress) -> ElementError? {
        dialect = dialect == .encrypted ? .legacy : .encrypted
        guard failedHandshakes.count < 2 else { return nil }
        failedHandshakes.append(failure.text)
        guard failedHandshakes.count == 2 else { return nil }
        return .resource(
            .notAuthorized,
            "\(address): The server accepts this player neither with encryption nor without it. "
                + failedHandshakes.joined(separator: " "))
    }

    private mutating func avoid(_ address: WebSocketAddress) {
        failed.removeAll { $0 == address }
        failed.append(address)
        if failed.count > Self.mostAddresses { failed.removeFirst() }
    }

    private mutating func warning(_ text: String, _ make: (String) -> ElementError) -> ElementError? {
        guard text != lastWarning else { return nil }
        lastWarning = text
        return make(text)
    }
}

extension SessionFailure.Kind {
    /// Whether the failure may mean that the server does not support the handshake.
    fileprivate var isOfHandshake: Bool { self == .closedInHandshake || self == .refused || self == .timeout }
}

/// Pause between connection attempts: 0.5 s, doubled after each attempt up to 30 s.
struct BackOff {
    private static let longestPause = Duration.seconds(30)
    /// The longest pause, for a failure that the user must repair.
    static let longest = BackOff(pause: longestPause)

    private var pause = Duration.milliseconds(500)

    init() {}
    private init(pause: Duration) { self.pause = pause }

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }
}
