import JSON

/// Payload of `stream/clear` and `stream/end`: the roles that the message concerns.
public struct StreamScope: Equatable, Sendable {
    /// Families of the roles; nil for all.
    public var families: [String]?
    /// Time of the server at which it transmitted the message; nil from legacy servers.
    public var serverTransmitted: Duration?

    /// A scope of its parts.
    public init(families: [String]? = nil, serverTransmitted: Duration? = nil) {
        self.families = families
        self.serverTransmitted = serverTransmitted
    }

    /// Returns whether the message concerns `role`.
    public func contains(_ role: Role) -> Bool { families.map { $0.contains(role.family) } ?? true }
}

extension StreamScope {
    var json: JSONObject {
        var payload = JSONObject()
        payload.add("server_transmitted", microseconds: serverTransmitted)
        payload.add("roles", families)
        return payload
    }

    init(_ reader: FieldReader) throws(WireFault) {
        families = try reader.optionalStrings("roles")
        serverTransmitted = try reader.optionalInteger("server_transmitted", in: .min ... .max).map {
            Duration(wireMicroseconds: $0)
        }
    }
}
