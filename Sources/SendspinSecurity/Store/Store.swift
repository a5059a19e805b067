import Glibc
import JSON

/// The files of a player: its identity, pairing key, pairings and state.
///
/// Files have mode 0600. Each change replaces a file atomically and under a lock, so that a crash loses no file, and
/// several processes may share the folder. A change waits for the disk, so the streaming thread must not make one.
public struct Store: Sendable {
    /// Maximum number of pairings; the least recently used one is removed first.
    public static let maximumRecordCount = 16

    /// Maximum number of remembered addresses; the least recently used one without an identity is removed first.
    ///
    /// A hostile host can be discovered at many addresses, so addresses with an identity are removed last.
    public static let maximumServerCount = 64

    /// Name of the file of the identity.
    public static let identityName = "identity.json"
    /// Name of the file of the pairing key.
    public static let pairingKeyName = "pairing-key.json"
    /// Name of the file of the pairings.
    public static let recordsName = "pairings.json"
    /// Name of the file of the known servers.
    public static let serversName = "servers.json"
    /// Name of the file of the state.
    public static let stateName = "state.json"

    private let path: String
    private let patience: Duration

    /// Uses the files in a folder; the first access creates the folder with mode 0700.
    ///
    /// An operation fails if another process holds the folder's lock for `patience`.
    public init(folder path: String, patience: Duration = .seconds(2)) {
        self.path = path
        self.patience = patience
    }

    /// Returns the identity of the player, or creates it; a damaged identity is not replaced, because servers know it.
    public func loadIdentity() throws(StoreError) -> KeyPair {
        let secret = try loadSecret(Self.identityName, "secret_key") { KeyPair.generate().secretKey }
        guard let pair = KeyPair(secretKey: secret) else {
            throw .malformed(path: "\(path)/\(Self.identityName)", reason: "the key has the wrong length")
        }
        return pair
    }

    /// Returns the pairing key of this player, or creates it.
    public func loadPairingKey() throws(StoreError) -> PreSharedKey {
        let secret = try loadSecret(Self.pairingKeyName, "psk") { PreSharedKey.generate().secret }
        guard let key = PreSharedKey(secret) else {
            throw .malformed(path: "\(path)/\(Self.pairingKeyName)", reason: "the key has the wrong length")
        }
        return key
    }

    /// Returns the pairings, the most recently used first, and the damage of their file.
    public func loadRecords() throws(StoreError) -> Stored<[PairingRecord]> {
        try StoreFolder(path: path).stored(Self.recordsName, default: []) { Stored($0) }
    }

    /// Stores a pairing as the most recently used one; it replaces a pairing with the same server.
    public func keep(_ record: PairingRecord) throws(StoreError) {
        try changeRecords { records in
            records.removeAll { $0.server == record.server }
            records.insert(record, at: 0)
            records.removeLast(max(0, records.count - Self.maximumRecordCount))
        }
    }

    /// Marks the pairing with `server` as the most recently used one.
    public func markUsed(_ server: PublicKey) throws(StoreError) {
        try changeRecords { records in
            guard let index = records.firstIndex(where: { $0.server == server }) else { return }
            records.insert(records.remove(at: index), at: 0)
        }
    }

    /// Removes the pairing with `server`; returns whether it existed.
    @discardableResult
    public func removeRecord(of server: PublicKey) throws(StoreError) -> Bool {
        var isStored = false
        try changeRecords { records in
            isStored = records.contains { $0.server == server }
            records.removeAll { $0.server == server }
        }
        return isStored
    }

    /// Returns the addresses of servers that encrypt, the most recently used first, and the damage of their file.
    public func loadServers() throws(StoreError) -> Stored<[KnownServer]> {
        try StoreFolder(path: path).stored(Self.serversName, default: []) { Stored($0) }
    }

    /// Stores that a server at an address encrypts, and its required identity, where nil permits any.
    public func remember(_ identity: PublicKey?, at address: String) throws(StoreError) {
        try remember(at: address) { _ in identity }
    }

    /// Stores that a server at an address encrypts, and its identity unless `identity` is nil.
    ///
    /// A damaged file is not replaced, because the new file would lack other identities; the damage is thrown.
    public func meet(_ identity: PublicKey?, at address: String) throws(StoreError) {
        try remember(at: address, replacesDamage: false) { identity ?? $0 }
    }

    private func remember(
        at address: String, replacesDamage: Bool = true, identity: (PublicKey?) -> PublicKey?
    ) throws(StoreError) {
        try update(
            Self.serversName, default: [], replacesDamage: replacesDamage, read: { Stored<[KnownServer]>($0) },
            change: { servers in
                let old = servers.first { $0.address == address }?.identity
                servers.removeAll { $0.address == address }
                servers.insert(KnownServer(address: address, identity: identity(old)), at: 0)
                while servers.count > Self.maximumServerCount {
                    servers.remove(at: servers.lastIndex { $0.identity == nil } ?? servers.count - 1)
                }
            }, write: { [("servers", .array($0.map(\.json)))] })
    }

    /// Returns the state of the player, and the damage of its file.
    public func loadState() throws(StoreError) -> Stored<SavedState> {
        try StoreFolder(path: path).stored(Self.stateName, default: SavedState()) { Stored($0) }
    }

    /// Changes the stored state; `change` receives the newest state, which another process may have written.
    public func updateState(_ change: (inout SavedState) -> Void) throws(StoreError) {
        try update(Self.stateName, default: SavedState(), read: { Stored($0) }, change: change) { $0.clamped.members }
    }

    private func changeRecords(_ change: (inout [PairingRecord]) -> Void) throws(StoreError) {
        try update(Self.recordsName, default: [], read: { Stored($0) }, change: change) {
            [("records", .array($0.map(\.json)))]
        }
    }

    /// Reads, changes and writes a file under the lock of the folder.
    private func update<Value: Equatable & Sendable>(
        _ name: String, default value: Value, replacesDamage: Bool = true, read: (StoredObject) -> Stored<Value>,
        change: (inout Value) -> Void, write: (Value) -> [JSONObject.Member]
    ) throws(StoreError) {
        let folder = try StoreFolder(path: path)
        let lock = try StoreLock(folder, patience: patience)
        defer { _ = lock }
        let old = try folder.stored(name, default: value, read: read)
        if let damage = old.damage, !replacesDamage { throw damage }
        var new = old.value
        change(&new)
        guard new != old.value else { return }
        if old.damage != nil { try folder.setAside(name) }
        try folder.replace(name, with: StoredObject.text(write(new)))
    }

    /// Returns the secret in a file; creates the file if it is missing.
    private func loadSecret(
        _ name: String, _ member: String, generate: () -> Secret
    ) throws(StoreError) -> Secret {
        let folder = try StoreFolder(path: path)
        if let secret = try folder.secret(name, member) { return secret }
        let lock = try StoreLock(folder, patience: patience)
        defer { _ = lock }
        // Another process may have created the file before this process locked the folder.
        if let secret = try folder.secret(name, member) { return secret }
        let secret = generate()
        let text = URLSafeBase64.encode(secret.revealed())
        try folder.replace(name, with: StoredObject.text([(member, .string(text))]))
        return secret
    }
}

/// Exclusive lock of a folder among all threads and processes, until it is destroyed.
private struct StoreLock: ~Copyable {
    /// Name of the empty lock file, which is never removed.
    static let name = ".lock"
    private let file: CInt

    /// Acquires the lock; fails if another process holds it for `patience`.
    init(_ folder: borrowing StoreFolder, patience: Duration) throws(StoreError) {
        let path = folder.path(of: Self.name)
        file = unsafe openat(folder.descriptor, Self.name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path: path, reason: systemReason()) }
        let start = ContinuousClock.now
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .unwritable(path: path, reason: systemReason())
            }
            guard ContinuousClock.now - start < patience else { throw .locked(path: path) }
            // Writers hold the lock for a few milliseconds. A blocking call could wait forever for a stopped process.
            _ = poll(nil, 0, 5)
        }
    }

    deinit { if file >= 0 { close(file) } }
}
