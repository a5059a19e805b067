import Durations
import SendspinProtocol
import WebSocket

/// Data that a fake server has recorded about one connection.
package struct ClientReport: Sendable {
    /// Deviations from the protocol, each as a sentence.
    package internal(set) var violations: [String] = []
    /// Number of messages of each type.
    package internal(set) var counts: [String: Int] = [:]
    /// The `client_id`; nil before the first message.
    package internal(set) var clientID: String?
    /// Whether the connection is encrypted.
    package internal(set) var isEncrypted = false
    /// Category of the key of the last handshake: `lt`, `pr` or `sn`; nil without encryption.
    package internal(set) var keyCategory: String?
    /// Whether the client answered with the sentinel instead of the key that the server named.
    package internal(set) var isCredentialMissing = false
    package internal(set) var handshakeCount = 0
    package internal(set) var hello: ClientHello?
    /// Whether the first activation was sent.
    package internal(set) var isActive = false
    /// Whether the activity playback was announced.
    package internal(set) var isForPlayback = false
    /// The newest state that the client has sent.
    package internal(set) var state: ClientState?
    /// Number of time exchanges before the client was available; nil while the client has not been available.
    package internal(set) var exchangesBeforeAvailable: Int?
    /// Controller commands in their order.
    package internal(set) var commands: [ControllerCommand] = []
    package internal(set) var goodbye: GoodbyeReason?
    /// Streams of captured audio in their order.
    package internal(set) var captures: [CapturedStream] = []
    /// Signals that the source has reported, without repetitions.
    package internal(set) var signals: [SignalState] = []
    package internal(set) var pairingAbort: PairingAbortReason?
    /// Number of chunks that were sent.
    package internal(set) var chunkCount = 0
    /// Number of bytes of audio that were sent.
    package internal(set) var audioBytes = 0
    /// Number of messages that were sent.
    package internal(set) var sentCount = 0
    /// Numbers of messages, answers and chunks that the server had sent when the last attack began.
    package internal(set) var beforeAttack = (sent: 0, answers: 0, chunks: 0)
    /// The way in which the connection ended; nil while the connection is open.
    package internal(set) var closure: WebSocketClosure?

    /// Number of answers to `client/time`.
    package var exchangeCount: Int { counts["client/time", default: 0] }

    mutating func violate(_ sentence: String) {
        // Limit the number, because a flood of violations must not fill the memory.
        if violations.count < 200 { violations.append(sentence) }
    }
}
