import Durations
import SendspinSecurity

/// How a server pairs with the client.
enum PairingMethod: Equatable, Sendable {
    /// With the pairing key, which protects the connection.
    case key
    /// With a code of this format.
    case code(PairingCode.Format)
    /// With a method that the client does not offer.
    case refused
}

struct PairingAttempt: Sendable {
    /// Number of activations with pairing since the last handshake.
    private(set) var index = 0
    /// The new key until the server confirms it, and the time at which the attempt fails.
    private(set) var pending: (key: PreSharedKey, deadline: Duration)?
    /// The exchange with the code; nil with the pairing key.
    var exchange: CodeExchange?

    var isInProgress: Bool { pending != nil }

    /// Whether the server has the new key.
    var isConfirmable: Bool { exchange?.isVerified ?? true }

    mutating func activated() { index += 1 }

    mutating func begin(deadline: Duration) -> PreSharedKey {
        let key = PreSharedKey.generate()
        pending = (key, deadline)
        return key
    }

    /// Ends the attempt; returns its key, nil if there is none.
    mutating func end() -> PreSharedKey? {
        defer { (pending, exchange) = (nil, nil) }
        return pending?.key
    }
}
