import JSON

/// The object in a file, with the checks common to all files.
struct StoredObject {
    /// Version of the file format; it is increased when older programs must not read the files.
    static let version: Int64 = 1

    let path: String
    let object: JSONObject

    init(_ bytes: [UInt8], path: String) throws(StoreError) {
        self.path = path
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(byteCount: StoreFolder.sizeLimit, depth: 8))
        } catch {
            throw .malformed(path: path, reason: error.description)
        }
        guard case .object(let object) = value else { throw .malformed(path: path, reason: "it is not an object") }
        self.object = object
        guard let version = integer("version") else { throw malformed("\"version\" is missing or not an integer") }
        guard version <= Self.version else { throw .newerVersion(path: path, version: version) }
        guard version > 0 else { throw malformed("\"version\" is \(version)") }
    }

    func integer(_ name: String) -> Int64? {
        guard case .number(let number)? = object[name] else { return nil }
        return number.integer
    }

    func string(_ name: String) -> String? {
        guard case .string(let text)? = object[name] else { return nil }
        return text
    }

    /// Error whose text contains neither the value nor its surroundings, because they may be secret.
    func malformed(_ reason: String) -> StoreError { .malformed(path: path, reason: reason) }

    /// Text of a file with the version and these members.
    static func text(_ members: [JSONObject.Member]) -> [UInt8] {
        var object: JSONObject = ["version": .number(JSONNumber(version))]
        for (name, value) in members { object.append(name, value) }
        return Array((JSONValue.object(object).text(.pretty) + "\n").utf8)
    }
}
