import JSON
import SendspinSecurity

/// Description of the device for the server's user interface.
public struct DeviceInformation: Equatable, Sendable {
    /// Name of the product.
    public var productName: String?
    /// Name of the manufacturer.
    public var manufacturer: String?
    /// Version of the software.
    public var softwareVersion: String?

    /// Creates a description.
    public init(productName: String? = nil, manufacturer: String? = nil, softwareVersion: String? = nil) {
        self.productName = productName
        self.manufacturer = manufacturer
        self.softwareVersion = softwareVersion
    }
}

/// Payload of `client/hello`.
public struct ClientHello: Equatable, Sendable {
    /// Name of the client.
    public var name: String
    /// Description of the device.
    public var device = DeviceInformation()
    /// Roles that the client supports.
    public var roles: [Role]
    /// Formats of the player in order of preference; at least one must be FLAC or PCM.
    public var formats: [AudioFormat]
    /// Number of bytes of encoded audio that the player buffers.
    public var bufferCapacity: Int
    /// Whether servers without pairing may play.
    public var isUnpairedAccessEnabled = false
    /// Whether the source reports the presence of a signal.
    public var sensesLine = false
    /// Formats in which the client shows a pairing code; none if it cannot be paired by a code.
    public var codeFormats: [PairingCode.Format] = []
    /// Fields of the legacy dialect; nil in the encrypted dialect.
    public var legacy: LegacyHello?
}

/// Fields of `client/hello` in the legacy dialect.
public struct LegacyHello: Equatable, Sendable {
    /// Identifier of the client, which may be any text.
    public var clientID: String
    /// Commands that the server may send.
    public var commands: [PlayerCommandName]
    /// Channels of the artwork role; the encrypted dialect sends them in `client/state`.
    public var artwork: [ArtworkChannel] = []
}

extension ClientHello {
    private static let visualizerCapacity = JSONValue.number(JSONNumber(VisualizerRequest.bufferCapacity))

    var json: JSONObject {
        var payload = JSONObject()
        payload.add("client_id", legacy?.clientID)
        payload.add("version", legacy == nil ? nil : 1)
        payload.add("name", name)
        var information = JSONObject()
        information.add("product_name", device.productName)
        information.add("manufacturer", device.manufacturer)
        information.add("software_version", device.softwareVersion)
        payload.add("device_info", information.members.isEmpty ? nil : information)
        payload.add("supported_roles", roles.map(\.rawValue))
        if roles.contains(.player) {
            var support = JSONObject()
            support.add("supported_formats", formats.map(\.json))
            support.add("buffer_capacity", bufferCapacity)
            support.add("supported_commands", legacy?.commands.map(\.rawValue))
            payload.add("player@v1_support", support)
        }
        guard let legacy else {
            var methods: JSONObject = ["pairing_psk": .object([:])]
            if !codeFormats.isEmpty {
                var code = JSONObject()
                code.add("out_channels", ["display"])
                code.add("formats", codeFormats.map(\.rawValue))
                methods.add(ServerActivation.codeMethod, code)
            }
            payload.add("supported_pair_methods", methods)
            payload.append("unpaired_access", .object(["enabled": .bool(isUnpairedAccessEnabled)]))
            if roles.contains(.visualizer) {
                payload.append("visualizer@v1_support", .object(["buffer_capacity": Self.visualizerCapacity]))
            }
            if roles.contains(.source) {
                let features: JSONObject = sensesLine ? ["features": .object(["line_sense": .bool(true)])] : [:]
                payload.append("source@v1_support", .object(features))
            }
            return payload
        }
        if roles.contains(.artwork) {
            payload.append(
                "artwork@v1_support",
                .object(["channels": .array(legacy.artwork.map { .object($0.json(.legacy)) })]))
        }
        return payload
    }
}
