import Durations
import SendspinSecurity

struct PairingAttempt: Sendable {
    /// Number of activations with pairing since the last handshake.
    private(set) var index = 0
    /// The new key until the server confirms it, and the time at which the attempt fails.
    private(set) var pending: (key: PreSharedKey, deadline: Duration)?

    var isInProgress: Bool { pending != nil }

    mutating func activated() { index += 1 }

    mutating func begin(deadline: Duration) -> PreSharedKey {
        let key = PreSharedKey.generate()
        pending = (key, deadline)
        return key
    }

    /// Ends the attempt; returns its key, nil if there is none.
    mutating func end() -> PreSharedKey? {
        defer { pending = nil }
        return pending?.key
    }
}
