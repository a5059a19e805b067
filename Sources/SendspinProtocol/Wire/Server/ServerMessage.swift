/// A message from the server to the client.
public enum ServerMessage: Equatable, Sendable {
    /// `server/init`: public key of the server in base64url, and version of the protocol.
    case initialization(serverID: String, version: Int = 1)
    /// `server/error`: the server rejects `client/init`.
    case error(reason: String)
    /// `noise/handshake`: the first message of a handshake, in base64url.
    case handshake(String)
    /// `server/hello`.
    case hello(ServerHello)
    /// `server/activate`.
    case activation(ServerActivation)
    /// `server/time`: client time of the request, and server times of its arrival and of the reply.
    case time(sent: Duration, received: Duration, transmitted: Duration)
    /// `server/state`.
    case state(ServerState)
    /// `server/command`; nil for another role or an unknown command.
    case command(PlayerCommand?, source: SourceCommand? = nil)
    /// `group/update`.
    case group(GroupUpdate)
    /// `stream/start`.
    case streamStart(StreamStart)
    /// `stream/clear`.
    case streamClear(StreamScope)
    /// `stream/end`.
    case streamEnd(StreamScope)
    /// `server/unpair`: the client deletes its pairing record.
    case unpair
    /// `server/pair-init`: begins a round of pairing with a code; the first one has the nonce of the server, in base64url.
    case pairingRound(nonce: String?)
    /// `server/pair-auth`: the share of the server in the key exchange, in base64url.
    case pairingShare(String)
    /// `server/pair-confirm`: the tag by which the server proves that it has the code, in base64url.
    case pairingTag(String)
    /// `server/pair-finalize`: the server has stored the new key.
    case pairingDone
    /// `pair/abort` with its reason.
    case pairingAbort(String)
}

/// Payload of `server/state`: the changed objects.
public struct ServerState: Equatable, Sendable {
    /// Description of the track; nil if unchanged.
    public var metadata: Metadata?
    /// State of the group; nil if unchanged.
    public var controller: ControllerState?
    /// Colours that suit the music; nil if unchanged.
    public var palette: Palette?
}

extension ServerMessage: CustomStringConvertible {
    /// The type of the message.
    public var description: String { type }

    /// Value of `type` in the message.
    public var type: String {
        switch self {
        case .initialization: "server/init"
        case .error: "server/error"
        case .handshake: "noise/handshake"
        case .hello: "server/hello"
        case .activation: "server/activate"
        case .time: "server/time"
        case .state: "server/state"
        case .command: "server/command"
        case .group: "group/update"
        case .streamStart: "stream/start"
        case .streamClear: "stream/clear"
        case .streamEnd: "stream/end"
        case .unpair: "server/unpair"
        case .pairingRound: "server/pair-init"
        case .pairingShare: "server/pair-auth"
        case .pairingTag: "server/pair-confirm"
        case .pairingDone: "server/pair-finalize"
        case .pairingAbort: "pair/abort"
        }
    }
}
