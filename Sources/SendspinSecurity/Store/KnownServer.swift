import JSON

/// An address at which a server has encrypted a connection with this player.
public struct KnownServer: Equatable, Sendable {
    /// Address of the server.
    public var address: String
    /// Required identity of the server; nil permits any.
    public var identity: PublicKey?
}

extension KnownServer {
    /// Parses an element of the list; nil if a member is missing or malformed.
    init?(_ value: JSONValue) {
        guard case .object(let object) = value, case .string(let address)? = object["address"] else { return nil }
        self.init(address: address, identity: nil)
        switch object["server_id"] {
        case .null: break
        case .string(let id):
            identity = PublicKey(id: id)
            if identity == nil { return nil }
        default: return nil
        }
    }

    var json: JSONValue {
        .object(["address": .string(address), "server_id": identity.map { .string($0.id) } ?? .null])
    }
}

extension Stored where Value == [KnownServer] {
    init(_ object: StoredObject) {
        self.init(object, list: "servers") { KnownServer($0) }
    }
}
