extension StoreFolder {
    /// Reads a file; returns the default value and the damage if the file is malformed, and throws other faults.
    func stored<Value>(
        _ name: String, default value: Value, read parse: (StoredObject) -> Stored<Value>
    ) throws(StoreError) -> Stored<Value> {
        guard let bytes = try read(name) else { return Stored(value: value) }
        do {
            return parse(try StoredObject(bytes, path: path(of: name)))
        } catch {
            guard case .malformed = error else { throw error }
            return Stored(value: value, damage: error)
        }
    }

    /// Reads the secret in a file; nil if there is no file.
    func secret(_ name: String, _ member: String) throws(StoreError) -> Secret? {
        guard let bytes = try read(name) else { return nil }
        let object = try StoredObject(bytes, path: path(of: name))
        guard let text = object.string(member), let secret = URLSafeBase64.decode(text, exactly: PreSharedKey.length)
        else { throw object.malformed("\"\(member)\" is not a key in base64url") }
        return Secret(copying: secret)
    }
}
