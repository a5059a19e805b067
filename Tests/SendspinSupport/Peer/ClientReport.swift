import Durations
import SendspinWire
import WebSocketFraming

/// All that a fake server saw of one connection.
public struct ClientReport: Sendable {
    /// Deviations from the protocol, each as a sentence.
    public internal(set) var violations: [String] = []
    /// Number of messages of each type.
    public internal(set) var counts: [String: Int] = [:]
    /// The `client_id`; nil before the first message.
    public internal(set) var clientID: String?
    /// Whether the connection is encrypted.
    public internal(set) var isEncrypted = false
    /// Category of the key of the last handshake: `lt`, `pr` or `sn`; nil without encryption.
    public internal(set) var keyCategory: String?
    /// Whether the client answered with the sentinel instead of the key that the server named.
    public internal(set) var isCredentialMissing = false
    /// Number of handshakes.
    public internal(set) var handshakeCount = 0
    public internal(set) var hello: ClientHello?
    /// Whether the first activation was sent.
    public internal(set) var isActive = false
    /// Whether the activity playback was announced.
    public internal(set) var isForPlayback = false
    /// The newest state.
    public internal(set) var state: ClientState?
    /// Number of time exchanges before the client was available; nil before that.
    public internal(set) var exchangesBeforeAvailable: Int?
    /// Controller commands in their order.
    public internal(set) var commands: [ControllerCommand] = []
    public internal(set) var goodbye: GoodbyeReason?
    public internal(set) var pairingAbort: PairingAbortReason?
    /// Number of chunks that were sent.
    public internal(set) var chunkCount = 0
    /// Number of bytes of audio that were sent.
    public internal(set) var audioBytes = 0
    /// Number of messages that were sent.
    public internal(set) var sentCount = 0
    /// Numbers of messages, answers and chunks that were sent before the last attack.
    public internal(set) var beforeAttack = (sent: 0, answers: 0, chunks: 0)
    /// End of the connection; nil while it is open.
    public internal(set) var closure: WebSocketClosure?

    /// Number of answers to `client/time`.
    public var exchangeCount: Int { counts["client/time", default: 0] }

    mutating func violate(_ sentence: String) {
        // A flood of violations must not fill the memory.
        if violations.count < 200 { violations.append(sentence) }
    }
}
