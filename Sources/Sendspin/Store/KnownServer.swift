import JSON
public import SendspinNoise

/// A server that this player has met at an address, with encryption.
public struct KnownServer: Equatable, Sendable {
    /// Address of the server.
    public var address: String
    /// Identity of the server.
    public var identity: PublicKey

    /// A server of its parts.
    public init(address: String, identity: PublicKey) {
        self.address = address
        self.identity = identity
    }
}

extension KnownServer {
    /// Reads the server from an element of the list; nil if a member is missing or malformed.
    init?(_ value: JSONValue) {
        guard case .object(let object) = value, case .string(let address)? = object["address"],
            case .string(let id)? = object["server_id"], let identity = PublicKey(id: id)
        else { return nil }
        self.init(address: address, identity: identity)
    }

    var json: JSONValue { .object(["address": .string(address), "server_id": .string(identity.id)]) }
}

extension Stored where Value == [KnownServer] {
    /// Reads all servers that can be read.
    init(_ object: StoredObject) {
        self.init(object, list: "servers") { KnownServer($0) }
    }
}
