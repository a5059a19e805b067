import JSON

/// Payload of `server/hello`.
public struct ServerHello: Equatable, Sendable {
    /// Name of the server.
    public var name: String
    /// Languages of the server's user as BCP 47 tags, preferred first.
    public var languages: [String] = []
    /// Codecs that the server accepts from a source; a server that lists none accepts FLAC and PCM.
    public var sourceCodecs: [AudioCodec] = [.flac, .pcm]
    /// Fields of the legacy dialect; nil in the encrypted dialect.
    public var legacy: LegacyAdmission?
}

/// Fields of `server/hello` that replace `server/init` and `server/activate` in the legacy dialect.
public struct LegacyAdmission: Equatable, Sendable {
    /// Identifier of the server, which may be any text.
    public var serverID: String
    /// Version of the protocol.
    public var version = 1
    /// Active roles with their versions.
    public var roles: [String]
    /// Whether the server connected for playback.
    public var isForPlayback: Bool
}

extension ServerHello {
    init(_ reader: FieldReader) throws(WireFault) {
        name = PeerText.make(try reader.string("name"))
        languages = try reader.optionalStrings("languages") ?? []
        // A fault of the source role, which may be another client, must not end the connection of a player.
        if let codecs = try? reader.optionalObject("source@v1_support")?.optionalStrings("supported_codecs") {
            sourceCodecs = codecs.compactMap { AudioCodec(rawValue: $0) }
        }
        guard let serverID = try reader.optionalString("server_id") else { return }
        legacy = LegacyAdmission(
            serverID: serverID, version: Int(try reader.integer("version", in: 0...Int64(Int32.max))),
            roles: try reader.strings("active_roles"),
            isForPlayback: try reader.optionalString("connection_reason") == "playback")
    }
}
