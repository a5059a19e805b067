import Durations
import SendspinSecurity

extension Session {
    mutating func startPairing(at now: Duration) throws(SessionFailure) {
        let isAccepted = acceptsPairing ?? false
        acceptsPairing = nil
        guard isAccepted else {
            try transmit(.pairingAbort(.methodNotSupported))
            emit(.pairingAborted("the server selected a method other than the pairing key of this client"))
            return
        }
        let key = pairing.begin(deadline: now + configuration.limits.pairingTimeout)
        try transmit(.pairingStart(index: pairing.index))
        try transmit(.pairingKey(key.revealedText()))
    }

    /// Handles the server's confirmation that it has stored the key.
    mutating func finishPairing() {
        guard let key = pairing.end(), let server, let identity = PublicKey(id: server.id) else { return }
        let record = PairingRecord(server: identity, key: key, name: server.name)
        credentials.records.removeAll { $0.server == identity }
        credentials.records.append(record)
        emit(.paired(record))
    }

    mutating func expirePairing(at now: Duration) throws(SessionFailure) {
        guard let pending = pairing.pending, now >= pending.deadline else { return }
        _ = pairing.end()
        try transmit(.pairingAbort(.attemptTimeout))
        emit(.pairingAborted("the server did not finish it in time"))
    }

    /// Handles `server/unpair`; only a connection with a long-term key has a pairing to delete.
    mutating func unpair() throws(SessionFailure) {
        guard let server, link?.category == .longTerm else { return }
        credentials.records.removeAll { $0.server.id == server.id }
        emit(.unpaired(serverID: server.id))
        try end(.goodbye(.unpaired), SessionFailure(.unpaired, "The server deleted the pairing. Pair it again."))
    }
}
