import JSON
@testable import SendspinProtocol
import SendspinSecurity

extension ServerMessage {
    /// The message as JSON.
    package var json: JSONValue { .object(["type": .string(type), "payload": .object(payload)]) }

    private var payload: JSONObject {
        var payload = JSONObject()
        switch self {
        case .initialization(let serverID, let version):
            payload.add("server_id", serverID)
            payload.add("version", version)
        case .error(let reason): payload.add("reason", reason)
        case .handshake(let data): payload.add("data", data)
        case .hello(let hello): return hello.json
        case .activation(let activation): return activation.json
        case .time(let sent, let received, let transmitted):
            payload.add("client_transmitted", microseconds: sent)
            payload.add("server_received", microseconds: received)
            payload.add("server_transmitted", microseconds: transmitted)
        case .state(let state):
            payload.add("metadata", state.metadata?.json)
            payload.add("controller", state.controller?.json)
            payload.add("color", state.palette?.json)
        case .command(let command, let source):
            payload.add("player", command?.json)
            if let source { payload.append("source", .object(["command": .string(source.rawValue)])) }
        case .group(let update): return update.json
        case .streamStart(let start): return start.json
        case .streamClear(let scope), .streamEnd(let scope): return scope.json
        case .pairingRound(let nonce): payload.add("nonce_A", nonce)
        case .pairingShare(let share): payload.add("pake_msg_1", share)
        case .pairingTag(let tag): payload.add("server_kc", tag)
        case .unpair, .pairingDone: break
        case .pairingAbort(let reason): payload.add("reason", reason)
        }
        return payload
    }
}

extension ServerHello {
    fileprivate var json: JSONObject {
        var payload = JSONObject()
        payload.add("name", name)
        payload.add("languages", languages.isEmpty ? nil : languages)
        if sourceCodecs != [.flac, .pcm] {
            let codecs = sourceCodecs.map { JSONValue.string($0.rawValue) }
            payload.append("source@v1_support", .object(["supported_codecs": .array(codecs)]))
        }
        guard let legacy else { return payload }
        payload.add("server_id", legacy.serverID)
        payload.add("version", legacy.version)
        payload.add("active_roles", legacy.roles)
        payload.add("connection_reason", legacy.isForPlayback ? "playback" : "discovery")
        return payload
    }
}

extension ServerActivation {
    fileprivate var json: JSONObject {
        var payload = JSONObject()
        let known = Activity.allCases.filter { activities.contains($0) }.map(\.rawValue)
        payload.add("activities", known + unknownActivities)
        payload.add("active_roles", roles)
        if let pairingMethod {
            var pairing: JSONObject = ["method": .string(pairingMethod)]
            pairing.add("format", codeFormat)
            payload.append("pairing", .object(pairing))
        }
        return payload
    }
}

extension Metadata {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("timestamp", microseconds: timestamp)
        object.add("title", title)
        object.add("artist", artist)
        object.add("album_artist", albumArtist)
        object.add("album", album)
        object.add("artwork_url", artworkURL)
        object.add("year", year)
        object.add("track", track)
        object.add("progress", progress?.json)
        return object
    }
}

extension Palette {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("timestamp", microseconds: timestamp)
        for purpose in Purpose.allCases {
            guard let colour = colours[purpose] else { continue }
            let parts = [16, 8, 0].map { JSONValue.number(JSONNumber((colour >> $0) & 0xFF)) }
            object.append(purpose.rawValue, .array(parts))
        }
        return object
    }
}

extension TrackProgress {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("track_progress", milliseconds: position)
        object.add("track_duration", milliseconds: duration ?? .zero)
        object.add("playback_speed", speed)
        return object
    }
}

extension ControllerState {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(
            "supported_commands", ControllerCommandName.allCases.filter { commands.contains($0) }.map(\.rawValue))
        object.add("volume", volume)
        object.add("muted", isMuted)
        object.add("repeat", repeatMode?.rawValue)
        object.add("shuffle", isShuffled)
        object.add("seek_max_ms", milliseconds: seekLimit)
        return object
    }
}

extension PlayerCommand {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("command", name.rawValue)
        switch self {
        case .volume(let percent): object.add("volume", percent)
        case .mute(let isMuted): object.add("mute", isMuted)
        case .outputDelay(let delay): object.add("output_delay_ms", milliseconds: delay)
        }
        return object
    }
}

extension GroupUpdate {
    fileprivate var json: JSONObject {
        var payload = JSONObject()
        payload.add("playback_state", playback?.rawValue)
        payload.add("group_id", groupID)
        payload.add("group_name", groupName)
        return payload
    }
}

extension StreamStart {
    fileprivate var json: JSONObject {
        var payload = JSONObject()
        payload.add("server_transmitted", microseconds: serverTransmitted)
        if let player {
            var object = player.format.json
            object.add("codec_header", player.codecHeader.map { StandardBase64.encode($0) })
            payload.add("player", object)
        }
        if let artwork {
            payload.append("artwork", .object(["channels": .array(artwork.map { .object($0.json(.encrypted)) })]))
        }
        if hasVisualizer { payload.append("visualizer", .object(["types": .array([.string("loudness")])])) }
        return payload
    }
}

extension StreamScope {
    fileprivate var json: JSONObject {
        var payload = JSONObject()
        payload.add("server_transmitted", microseconds: serverTransmitted)
        payload.add("roles", families)
        return payload
    }
}
