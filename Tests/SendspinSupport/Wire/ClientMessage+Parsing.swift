import JSON
import SendspinSecurity
@testable import SendspinProtocol

extension ClientMessage {
    /// Parses a message; nil if its type is unknown.
    package init?(parsing value: JSONValue) throws(WireFault) {
        let (type, reader) = try Envelope.open(value)
        switch type {
        case "client/init":
            self = .initialization(
                clientID: try reader.string("client_id"),
                version: Int(try reader.integer("version", in: 0...Int64(Int32.max))),
                suite: try reader.string("suite"))
        case "noise/handshake": self = .handshake(try reader.string("data"))
        case "client/hello": self = .hello(try ClientHello(reader))
        case "client/time": self = .time(try reader.time("client_transmitted"))
        case "client/state": self = .state(try ClientState(reader))
        case "client/command": self = .command(try ControllerCommand(try reader.object("controller")))
        case "client/leave": self = .leave
        case "client/goodbye": self = .goodbye(try reader.choice("reason"))
        case "client/pair-pending":
            self = .pairingPending(
                index: Int(try reader.integer("pairing_index", in: 0...Int64(Int32.max))),
                reason: try reader.string("message"))
        case "client/pair-init":
            self = .pairingStart(
                index: Int(try reader.integer("pairing_index", in: 0...Int64(Int32.max))),
                commitment: try reader.optionalString("commit_B"))
        case "client/pair-auth": self = .pairingShare(try reader.string("pake_msg_2"))
        case "client/pair-retry": self = .pairingRetry
        case "client/pair-confirm":
            self = .pairingTag(
                try reader.string("client_kc"), wrappedNonce: try reader.string("wrapped_nonce_B"))
        case "client/pair-finalize":
            if let wrapped = try reader.optionalString("wrapped_psk") {
                self = .pairingKey(wrapped, isWrapped: true)
            } else {
                self = .pairingKey(try reader.string("long_term_psk"))
            }
        case "client-stream/start":
            let source = try reader.object("source")
            let header = try source.optionalString("codec_header")
            guard let bytes = header.map({ StandardBase64.decode($0) }) ?? [] else {
                throw .wrongType(field: "source.codec_header", expected: "base64")
            }
            self = .sourceStart(
                PlayerStream(format: try AudioFormat(source), codecHeader: header == nil ? nil : bytes))
        case "client-stream/end": self = .sourceEnd
        case "pair/abort": self = .pairingAbort(try reader.choice("reason"))
        default: return nil
        }
    }
}

extension FieldReader {
    /// Returns a reader of a required object in a payload.
    fileprivate func object(_ field: String) throws(WireFault) -> FieldReader {
        guard let object = try optionalObject(field) else { throw .missing(field: field) }
        return object
    }

    fileprivate func artworkChannels() throws(WireFault) -> [ArtworkChannel]? {
        guard let objects = try optionalObjects("channels", limit: 4) else { return nil }
        var channels: [ArtworkChannel] = []
        for object in objects { channels.append(try ArtworkChannel(object)) }
        return channels
    }

    fileprivate func playerCommands() throws(WireFault) -> [PlayerCommandName] {
        (try optionalStrings("supported_commands") ?? []).compactMap { PlayerCommandName(rawValue: $0) }
    }
}

extension ClientHello {
    fileprivate init(_ reader: FieldReader) throws(WireFault) {
        let name = try reader.string("name")
        var device = DeviceInformation()
        if let information = try reader.optionalObject("device_info") {
            device.productName = try information.optionalString("product_name")
            device.manufacturer = try information.optionalString("manufacturer")
            device.softwareVersion = try information.optionalString("software_version")
        }
        let roles = try reader.strings("supported_roles").compactMap { Role(rawValue: $0) }
        var formats: [AudioFormat] = []
        var bufferCapacity = 0
        var commands: [PlayerCommandName] = []
        // Ignore the support object of a role that the client does not list.
        if roles.contains(.player) {
            let support = try reader.object("player@v1_support")
            for format in try support.optionalObjects("supported_formats", limit: 256) ?? [] {
                formats.append(try AudioFormat(format))
            }
            bufferCapacity = Int(try support.integer("buffer_capacity", in: 1 ... .max))
            commands = try support.playerCommands()
        }
        if roles.contains(.visualizer) {
            _ = try reader.object("visualizer@v1_support").integer("buffer_capacity", in: 1 ... .max)
        }
        let isUnpairedAccessEnabled = try reader.optionalObject("unpaired_access")?.bool("enabled") ?? false
        var sensesLine = false
        if roles.contains(.source) {
            let features = try reader.object("source@v1_support").optionalObject("features")
            sensesLine = try features?.optionalBool("line_sense") ?? false
        }
        let methods = try reader.optionalObject("supported_pair_methods")
        let code = try methods?.optionalObject(ServerActivation.codeMethod)
        let codeFormats = try code?.strings("formats").compactMap { PairingCode.Format(rawValue: $0) } ?? []
        var legacy: LegacyHello?
        if let clientID = try reader.optionalString("client_id") {
            var artwork: [ArtworkChannel] = []
            if roles.contains(.artwork) {
                artwork = try reader.optionalObject("artwork@v1_support")?.artworkChannels() ?? []
            }
            legacy = LegacyHello(clientID: clientID, commands: commands, artwork: artwork)
        }
        self.init(
            name: name, device: device, roles: roles, formats: formats, bufferCapacity: bufferCapacity,
            isUnpairedAccessEnabled: isUnpairedAccessEnabled, sensesLine: sensesLine, codeFormats: codeFormats,
            legacy: legacy)
    }
}

extension ClientState {
    fileprivate init(_ reader: FieldReader) throws(WireFault) {
        let isAvailable =
            if let state = try reader.optionalString("state") {
                state != "external_source"
            } else {
                try reader.bool("available")
            }
        var player: PlayerReport?
        if let object = try reader.optionalObject("player") { player = try PlayerReport(object) }
        let artwork = try reader.optionalObject("artwork")?.artworkChannels()
        var visualizer: VisualizerRequest?
        if let object = try reader.optionalObject("visualizer") { visualizer = try VisualizerRequest(object) }
        var source: SourceReport?
        if let object = try reader.optionalObject("source") {
            let signal: SignalState? = try object.optionalString("signal") == nil ? nil : try object.choice("signal")
            source = SourceReport(signal: signal)
        }
        self.init(
            isAvailable: isAvailable, player: player, artwork: artwork, visualizer: visualizer, source: source)
    }
}

extension VisualizerRequest {
    fileprivate init(_ reader: FieldReader) throws(WireFault) {
        self.init(rate: Int(try reader.integer("rate_max", in: 1...1000)))
        for name in try reader.strings("types") {
            guard let kind = VisualizerKind(rawValue: name), !kinds.contains(kind) else {
                throw .unknownValue(field: "visualizer.types", value: name)
            }
            kinds.append(kind)
        }
        guard kinds.contains(.spectrum) else { return }
        let spectrum = try reader.object("spectrum")
        bandCount = Int(try spectrum.integer("n_disp_bins", in: 1...1000))
        guard ["mel", "log", "lin"].contains(try spectrum.string("scale")) else {
            throw .missing(field: "visualizer.spectrum.scale")
        }
        let lowest = try spectrum.integer("f_min", in: 0...100_000)
        _ = try spectrum.integer("f_max", in: lowest + 1...100_000)
    }
}

extension PlayerReport {
    fileprivate init(_ reader: FieldReader) throws(WireFault) {
        let anyDelay: ClosedRange<Int64> = 0...86_400_000
        let volume = try reader.optionalInteger("volume", in: 0...100).map { Int($0) }
        let isMuted = try reader.optionalBool("muted")
        let outputDelay = try reader.optionalMilliseconds("output_delay_ms", in: 0...5000) ?? .zero
        let requiredLeadTime = try reader.optionalMilliseconds("required_lead_time_ms", in: anyDelay) ?? .zero
        let minimumBuffer = try reader.optionalMilliseconds("min_buffer_ms", in: anyDelay) ?? .zero
        let commands = try reader.playerCommands()
        var format: AudioFormat?
        if let object = try reader.optionalObject("format") { format = try AudioFormat(object) }
        self.init(
            volume: volume, isMuted: isMuted, outputDelay: outputDelay, requiredLeadTime: requiredLeadTime,
            minimumBuffer: minimumBuffer, commands: commands, format: format)
    }
}

extension ControllerCommand {
    fileprivate init(_ reader: FieldReader) throws(WireFault) {
        // A `Double` can represent each whole number of milliseconds up to this number exactly.
        let longest: Int64 = 1 << 53
        let name: ControllerCommandName = try reader.choice("command")
        switch name {
        case .play: self = .play
        case .pause: self = .pause
        case .stop: self = .stop
        case .next: self = .next
        case .previous: self = .previous
        case .volume: self = .volume(Int(try reader.integer("volume", in: 0...100)))
        case .mute: self = .mute(try reader.bool("mute"))
        case .repeatOff: self = .repeating(.off)
        case .repeatOne: self = .repeating(.one)
        case .repeatAll: self = .repeating(.all)
        case .shuffle: self = .shuffle(true)
        case .unshuffle: self = .shuffle(false)
        case .switchGroup: self = .switchGroup
        case .seek: self = .seek(.milliseconds(try reader.integer("position_ms", in: 0...longest)))
        case .seekRelative: self = .seekRelative(.milliseconds(try reader.integer("offset_ms", in: -longest...longest)))
        }
    }
}
