import JSON

/// Payload of `client/state`, which is always the complete state.
public struct ClientState: Equatable, Sendable {
    /// Whether the client takes part in playback; false before its clock converges or while its output is in other use.
    public var isAvailable: Bool
    /// State of the player; nil if its role is not active.
    public var player: PlayerReport?
    /// Channels of the artwork role; nil if the role is not active.
    public var artwork: [ArtworkChannel]?
    /// Request of the visualizer; nil if its role is not active.
    public var visualizer: VisualizerRequest?
    /// State of the source; nil if its role is not active.
    public var source: SourceReport?
}

/// State of the source in `client/state`.
public struct SourceReport: Equatable, Sendable {
    /// Whether the input has a signal; nil if the source does not sense it or has not measured it.
    public var signal: SignalState?
}

/// Whether an input has a signal.
public enum SignalState: String, CaseIterable, Sendable {
    /// The level is above the threshold.
    case present
    /// The level has been below the threshold for some time.
    case absent
}

extension ClientState {
    func json(_ dialect: Dialect) -> JSONObject {
        var payload = JSONObject()
        guard dialect == .encrypted else {
            payload.add("state", isAvailable ? "synchronized" : "external_source")
            payload.add("player", player?.json(.legacy))
            return payload
        }
        payload.add("available", isAvailable)
        payload.add("player", player?.json(.encrypted))
        if let artwork {
            payload.append("artwork", .object(["channels": .array(artwork.map { .object($0.json(.encrypted)) })]))
        }
        payload.add("visualizer", visualizer?.json)
        if let source {
            var object = JSONObject()
            object.add("signal", source.signal?.rawValue)
            payload.append("source", .object(object))
        }
        return payload
    }
}
