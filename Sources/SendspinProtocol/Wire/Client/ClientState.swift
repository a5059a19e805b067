import JSON

/// Payload of `client/state`, which is always the complete state.
public struct ClientState: Equatable, Sendable {
    /// Whether the client takes part in playback; false before its clock converges or while its output is in other use.
    public var isAvailable: Bool
    /// State of the player; nil if its role is not active.
    public var player: PlayerReport?
    /// Channels of the artwork role; nil if the role is not active.
    public var artwork: [ArtworkChannel]?
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
        return payload
    }
}
