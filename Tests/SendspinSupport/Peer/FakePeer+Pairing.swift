import Durations
import SendspinSecurity
import SendspinProtocol

extension FakePeer {
    /// Starts a new handshake on an active connection with the current keys.
    mutating func renewHandshake() {
        guard let transport, let id = report.clientID else { return }
        let (key, category) = keys.key(for: id)
        beginHandshake(prologue: transport.handshakeHash, key: key, category: category)
    }

    /// Pairs with the client, using the key of its token.
    mutating func pair(_ token: PairingToken) {
        guard let id = report.clientID, token.client.id == id else { return }
        keys.longTerm[id] = nil
        keys.pairing[id] = token.key
        renewHandshake()
    }

    /// Deletes the pairing; the client must say goodbye.
    mutating func unpair() {
        if let id = report.clientID { keys.longTerm[id] = nil }
        send(.unpair)
    }

    mutating func startPairing(_ index: Int) {
        guard pairing.isOpen else { return report.violate("the client sent client/pair-init without an activation") }
        if index != pairing.activations {
            report.violate("pairing_index is \(index) instead of \(pairing.activations)")
        }
        if pairing.isStarted { report.violate("the client sent client/pair-init a second time") }
        pairing.isStarted = true
    }

    mutating func finishPairing(_ text: String) {
        guard pairing.isOpen, pairing.isStarted else {
            return report.violate("the client sent client/pair-finalize without client/pair-init")
        }
        pairing.isOpen = false
        pairing.isStarted = false
        guard let key = PreSharedKey(text: text), let id = report.clientID else {
            return report.violate("long_term_psk is not 32 bytes in base64url")
        }
        keys.longTerm[id] = key
        keys.pairing[id] = nil
        send(.pairingDone)
        renewHandshake()
    }
}
