import JSON

extension PairingRecord {
    static let maximumNameLength = 256

    /// Parses an element of the list; nil if `server_id` or `psk` is missing or malformed.
    init?(_ value: JSONValue) {
        guard case .object(let object) = value, case .string(let id)? = object["server_id"],
            case .string(let text)? = object["psk"], let server = PublicKey(id: id), let key = PreSharedKey(text: text)
        else { return nil }
        self.init(server: server, key: key)
        if case .string(let name)? = object["name"] { self.name = name }
    }

    var json: JSONValue {
        .object([
            "server_id": .string(server.id), "psk": .string(key.revealedText()),
            "name": .string(Text.prefix(of: name, byteCount: Self.maximumNameLength)),
        ])
    }
}

enum Text {
    /// The longest prefix of whole characters with at most `byteCount` bytes of UTF-8.
    static func prefix(of text: String, byteCount: Int) -> String {
        var count = 0
        return String(
            text.prefix {
                count += $0.utf8.count
                return count <= byteCount
            })
    }
}

extension Stored where Value == [PairingRecord] {
    /// Parses all readable records; the first of each server is kept.
    init(_ object: StoredObject) {
        self.init(object, list: "records") { PairingRecord($0) }
        var seen: Set<PublicKey> = []
        value.removeAll { !seen.insert($0.server).inserted }
    }
}
