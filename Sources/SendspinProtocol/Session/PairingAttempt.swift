import Durations
import SendspinSecurity

/// State of pairing by the pairing key.
struct PairingAttempt: Sendable {
    /// Number of activations with pairing since the last handshake.
    private(set) var index = 0
    /// The new key until the server confirms it, and the time at which the attempt is abandoned.
    private(set) var pending: (key: PreSharedKey, deadline: Duration)?

    var isInProgress: Bool { pending != nil }

    /// Counts an activation with pairing.
    mutating func activated() { index += 1 }

    /// Starts an attempt; returns the new key.
    mutating func begin(deadline: Duration) -> PreSharedKey {
        let key = PreSharedKey.generate()
        pending = (key, deadline)
        return key
    }

    /// Ends the attempt; returns its key, or nil if there is none.
    mutating func end() -> PreSharedKey? {
        defer { pending = nil }
        return pending?.key
    }
}
