import Durations
import SendspinSecurity

extension Session {
    mutating func startPairing(at now: Duration) throws(SessionFailure) {
        let method = pairingMethod
        pairingMethod = nil
        switch method {
        case .key:
            let key = pairing.begin(deadline: now + configuration.limits.pairingTimeout)
            try transmit(.pairingStart(index: pairing.index))
            try transmit(.pairingKey(key.revealedText()))
        case .code(let format): try startCode(format, at: now)
        case .refused, nil:
            try transmit(.pairingAbort(.methodNotSupported))
            emit(.pairingAborted("the server selected a method that this client does not offer"))
        }
    }

    /// Handles the server's confirmation that it has stored the key.
    mutating func finishPairing() throws(SessionFailure) {
        guard pairing.isInProgress else { return }
        guard pairing.isConfirmable else { throw .violation("server/pair-finalize arrived before the key") }
        guard let key = endPairing(), let server, let identity = PublicKey(id: server.id) else { return }
        let record = PairingRecord(server: identity, key: key, name: server.name)
        credentials.records.removeAll { $0.server == identity }
        credentials.records.append(record)
        emit(.paired(record))
    }

    mutating func expirePairing(at now: Duration) throws(SessionFailure) {
        guard let pending = pairing.pending, now >= pending.deadline else { return }
        _ = endPairing()
        try transmit(.pairingAbort(.attemptTimeout))
        emit(.pairingAborted("the server did not finish it in time"))
    }

    /// Ends the attempt and withdraws its code; returns the key of the attempt, nil if there is none.
    mutating func endPairing() -> PreSharedKey? {
        if pairing.exchange?.code != nil, let server { emit(.pairingCode(nil, of: server)) }
        return pairing.end()
    }

    /// Handles `server/unpair`; only a connection with a long-term key has a pairing to delete.
    mutating func unpair() throws(SessionFailure) {
        guard let server, link?.category == .longTerm else { return }
        credentials.records.removeAll { $0.server.id == server.id }
        emit(.unpaired(serverID: server.id))
        try end(.goodbye(.unpaired), SessionFailure(.unpaired, "The server deleted the pairing. Pair it again."))
    }
}

// MARK: - Pairing with a code

extension Session {
    private mutating func startCode(_ format: PairingCode.Format, at now: Duration) throws(SessionFailure) {
        guard let link else { return }
        guard usedCodeRounds < configuration.limits.codeRounds else {
            try transmit(.pairingPending(index: pairing.index, reason: "Restart the player to permit more codes."))
            emit(
                .pairingAborted(
                    "\(usedCodeRounds) codes were used without success. Restart the player, or use the pairing token"))
            return
        }
        let exchange = CodeExchange(
            format, suite: configuration.suite, handshakeHash: link.transport.handshakeHash, index: pairing.index)
        let deadline = now + configuration.limits.pairingTimeout
        _ = pairing.begin(deadline: deadline)
        pairing.exchange = exchange
        extendStep(until: deadline)
        try transmit(.pairingStart(index: pairing.index, commitment: exchange.commitment))
    }

    /// Lets a server that would soon be left finish its first attempt with a code, which a user must enter.
    private mutating func extendStep(until deadline: Duration) {
        guard let step = stepDeadline, !isStepExtended else { return }
        isStepExtended = true
        stepDeadline = max(step, deadline)
        provisionalDeadline = stepDeadline
    }

    /// Handles `server/pair-init`.
    mutating func beginRound(_ nonce: String?) throws(SessionFailure) {
        // After an attempt has ended, its messages may still arrive.
        guard pairing.exchange != nil, let server else { return }
        // Other connections may have used the rounds since this attempt began.
        guard usedCodeRounds < configuration.limits.codeRounds else { return try refuseCodes() }
        guard let code = pairing.exchange?.beginRound(serverNonce: nonce) else { throw Self.pairingFault }
        usedCodeRounds += 1
        emit(.codeRound(isVerified: false))
        emit(.pairingCode(code, of: server))
    }

    /// Handles `server/pair-auth`.
    mutating func answer(_ share: String) throws(SessionFailure) {
        guard pairing.exchange != nil else { return }
        guard let own = pairing.exchange?.answer(share: share) else { throw Self.pairingFault }
        try transmit(.pairingShare(own))
    }

    /// Handles `server/pair-confirm`.
    mutating func verify(_ tag: String) throws(SessionFailure) {
        guard let key = pairing.pending?.key, let verdict = pairing.exchange?.verify(tag: tag, key: key) else { return }
        switch verdict {
        case .verified(let proof):
            usedCodeRounds = 0
            emit(.codeRound(isVerified: true))
            try transmit(.pairingTag(proof.tag, wrappedNonce: proof.wrappedNonce))
            try transmit(.pairingKey(proof.wrappedKey, isWrapped: true))
        case .mismatch where usedCodeRounds < configuration.limits.codeRounds: try transmit(.pairingRetry)
        case .mismatch: try refuseCodes()
        case .malformed: throw Self.pairingFault
        }
    }

    /// Ends the attempt after the last permitted round.
    private mutating func refuseCodes() throws(SessionFailure) {
        _ = endPairing()
        try transmit(.pairingAbort(.pairingCodeMismatch))
        emit(.pairingAborted("\(usedCodeRounds) codes were used without success"))
    }

    /// The connection is closed without a message that could help to guess the code.
    static var pairingFault: SessionFailure {
        .violation("a message of the pairing is malformed, or arrived out of order")
    }
}
