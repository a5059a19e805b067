import JSON

/// A message from the client to the server.
public enum ClientMessage: Equatable, Sendable {
    /// `client/init`: public key of the client in base64url, version of the protocol, and Noise cipher suite.
    case initialization(clientID: String, version: Int = 1, suite: String = "25519_ChaChaPoly_SHA256")
    /// `noise/handshake`: the second message of the handshake, in base64url.
    case handshake(String)
    /// `client/hello`.
    case hello(ClientHello)
    /// `client/time`: time at which the client transmits this message.
    case time(Duration)
    /// `client/state`.
    case state(ClientState)
    /// `client/command` of the controller role.
    case command(ControllerCommand)
    /// `client/leave`: leaves the group.
    case leave
    /// `client/goodbye`.
    case goodbye(GoodbyeReason)
    /// `client/pair-pending`: number as of `pairingStart`, and the reason why the client does not start, as a sentence.
    case pairingPending(index: Int, reason: String)
    /// `client/pair-init`: number of activations with pairing since the last handshake, and with a code the commitment to
    /// the nonce of the client.
    case pairingStart(index: Int, commitment: String? = nil)
    /// `client/pair-auth`: the share of the client in the key exchange, in base64url.
    case pairingShare(String)
    /// `client/pair-retry`: asks the server for another round, because its code is wrong.
    case pairingRetry
    /// `client/pair-confirm`: the tag of the client, and its wrapped nonce, in base64url.
    case pairingTag(String, wrappedNonce: String)
    /// `client/pair-finalize`: the new long-term key, in base64url, and whether it is wrapped.
    case pairingKey(String, isWrapped: Bool = false)
    /// `pair/abort`.
    case pairingAbort(PairingAbortReason)
    /// `client-stream/start`: format of the captured audio; replaces the format of an open stream.
    case sourceStart(PlayerStream)
    /// `client-stream/end`.
    case sourceEnd
}

extension ClientMessage: CustomStringConvertible {
    /// The type of the message; the payload may contain a key.
    public var description: String { type }

    /// Value of `type` in the message.
    public var type: String {
        switch self {
        case .initialization: "client/init"
        case .handshake: "noise/handshake"
        case .hello: "client/hello"
        case .time: "client/time"
        case .state: "client/state"
        case .command: "client/command"
        case .leave: "client/leave"
        case .goodbye: "client/goodbye"
        case .pairingPending: "client/pair-pending"
        case .pairingStart: "client/pair-init"
        case .pairingShare: "client/pair-auth"
        case .pairingRetry: "client/pair-retry"
        case .pairingTag: "client/pair-confirm"
        case .pairingKey: "client/pair-finalize"
        case .pairingAbort: "pair/abort"
        case .sourceStart: "client-stream/start"
        case .sourceEnd: "client-stream/end"
        }
    }
}

/// Reason why a side aborts pairing.
public enum PairingAbortReason: String, CaseIterable, Sendable {
    /// The attempt took too long.
    case attemptTimeout = "attempt_timeout"
    /// Another pairing is in progress.
    case concurrentAttempt = "concurrent_attempt"
    /// The pairing method is not supported.
    case methodNotSupported = "method_not_supported"
    /// The code is wrong.
    case pairingCodeMismatch = "pairing_code_mismatch"
    /// The user cancelled the pairing.
    case userCancelled = "user_cancelled"
}
