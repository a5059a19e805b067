import JSON

/// Payload of `stream/clear` and `stream/end`: the affected roles.
public struct StreamScope: Equatable, Sendable {
    /// Families of the affected roles; nil if all roles are affected.
    public var families: [String]?
    /// Server time of the transmission; nil from legacy servers.
    public var serverTransmitted: Duration?

    /// Whether the message affects `role`.
    public func contains(_ role: Role) -> Bool { families.map { $0.contains(role.family) } ?? true }
}

extension StreamScope {
    init(_ reader: FieldReader) throws(WireFault) {
        families = try reader.optionalStrings("roles")
        serverTransmitted = try reader.optionalInteger("server_transmitted", in: .min ... .max).map {
            Duration(wireMicroseconds: $0)
        }
    }
}
