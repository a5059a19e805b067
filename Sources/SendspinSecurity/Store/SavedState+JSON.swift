import JSON

extension SavedState {
    var clamped: SavedState {
        SavedState(
            lastPlaybackServer: lastPlaybackServer.map { Text.prefix(of: $0, byteCount: Self.maximumServerLength) },
            outputDelay: min(max(outputDelay, .zero), Self.maximumOutputDelay),
            volume: volume.map { min(max($0, 0), 100) }, isMuted: isMuted)
    }

    var members: [JSONObject.Member] {
        // The clamped delay has at most 5000 ms.
        var members: [JSONObject.Member] = [
            ("output_delay_ms", .number(JSONNumber(Int((outputDelay / .milliseconds(1)).rounded())))),
            ("muted", .bool(isMuted)),
        ]
        if let volume { members.append(("volume", .number(JSONNumber(volume)))) }
        if let lastPlaybackServer { members.append(("last_playback_server", .string(lastPlaybackServer))) }
        return members
    }
}

extension Stored where Value == SavedState {
    /// Parses all readable members; a missing or malformed one keeps its default.
    init(_ object: StoredObject) {
        self.init(value: SavedState())
        if object.object["output_delay_ms"] != nil {
            let limit = Int64(SavedState.maximumOutputDelay.components.seconds * 1_000)
            if let delay = object.integer("output_delay_ms"), (0...limit).contains(delay) {
                value.outputDelay = .milliseconds(delay)
            } else {
                damage = object.malformed("\"output_delay_ms\" is not an integer from 0 to \(limit)")
            }
        }
        if object.object["volume"] != nil {
            if let volume = object.integer("volume"), (0...100).contains(volume) {
                value.volume = Int(volume)
            } else {
                damage = object.malformed("\"volume\" is not an integer from 0 to 100")
            }
        }
        switch object.object["muted"] {
        case .bool(let isMuted): value.isMuted = isMuted
        case nil: break
        default: damage = object.malformed("\"muted\" is not true or false")
        }
        if object.object["last_playback_server"] != nil {
            let server = object.string("last_playback_server")
            if let server, server.utf8.count <= SavedState.maximumServerLength {
                value.lastPlaybackServer = server
            } else {
                damage = object.malformed("\"last_playback_server\" is not a server_id")
            }
        }
    }
}
