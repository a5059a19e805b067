import JSON
import SendspinSecurity

extension ClientMessage {
    /// The message as JSON; some fields depend on the dialect.
    public func json(_ dialect: Dialect = .encrypted) -> JSONValue {
        .object(["type": .string(type), "payload": .object(payload(dialect))])
    }

    private func payload(_ dialect: Dialect) -> JSONObject {
        var payload = JSONObject()
        switch self {
        case .initialization(let clientID, let version, let suite):
            payload.add("client_id", clientID)
            payload.add("version", version)
            payload.add("suite", suite)
        case .handshake(let data): payload.add("data", data)
        case .hello(let hello): return hello.json
        case .time(let time): payload.add("client_transmitted", microseconds: time)
        case .state(let state): return state.json(dialect)
        case .command(let command): payload.add("controller", command.json)
        case .leave, .sourceEnd, .pairingRetry: break
        case .goodbye(let reason): payload.add("reason", reason.rawValue)
        case .pairingPending(let index, let reason):
            payload.add("pairing_index", index)
            payload.add("message", reason)
        case .pairingStart(let index, let commitment):
            payload.add("pairing_index", index)
            payload.add("commit_B", commitment)
        case .pairingShare(let share): payload.add("pake_msg_2", share)
        case .pairingTag(let tag, let wrappedNonce):
            payload.add("client_kc", tag)
            payload.add("wrapped_nonce_B", wrappedNonce)
        case .pairingKey(let key, let isWrapped): payload.add(isWrapped ? "wrapped_psk" : "long_term_psk", key)
        case .pairingAbort(let reason): payload.add("reason", reason.rawValue)
        case .sourceStart(let stream):
            var source = stream.format.json
            source.add("codec_header", stream.codecHeader.map { StandardBase64.encode($0) })
            payload.add("source", source)
        }
        return payload
    }
}
