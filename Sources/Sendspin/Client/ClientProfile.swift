import GStreamer
import Glibc
import SendspinProtocol
import SendspinSecurity
import Sockets
import Threads
import WebSocket
import struct Synchronization.Atomic

/// Identity and keys of a client; they survive a restart of the application.
final class ClientProfile: Sendable {
    /// Name of the client in the server's list.
    let name: String
    /// Public key of the client as text.
    var id: String { identity.publicKey.id }
    private let store: Store
    private let identity: KeyPair
    private let pairingKey: PreSharedKey
    /// Nil after `close`.
    private let claim: Mutex<FolderClaim?>
    /// Whether the client is the first one with its folder, and not one with a folder such as `player-2`.
    let isFirst: Bool
    let unpairedAccess: UnpairedAccess
    /// IDs of paired servers; nil if their file is unread or damaged.
    private let paired = Mutex<Set<String>?>(nil)
    /// Number of calls of `records`, before which `access` does not change; a chunk reads it without a lock.
    let changes = Atomic(0)
    /// Serializes changes and reads of the pairing file; meanwhile, other threads can still lock `paired`.
    private let recordsTurn = Mutex(())
    private let posted = Mutex<Set<String>>([])
    private let host: ElementHost
    private let log: DebugCategory

    /// `access` replaces the setting `unpaired-access`; nil keeps it.
    init<Settings: ClientSettings>(
        _ settings: Settings, access: UnpairedAccess? = nil, _ host: ElementHost, _ log: DebugCategory
    ) throws(ElementError) {
        self.host = host
        self.log = log
        let folder: String
        if let given = settings.storageFolder {
            folder = DataFolder.path(Settings.kind, in: given)
        } else {
            folder = try DataFolder.path(Settings.kind)
        }
        do throws(StoreError) {
            let claim = try FolderClaim.first(in: folder)
            store = Store(folder: claim.path)
            identity = try store.loadIdentity()
            pairingKey = try store.loadPairingKey()
            let suffix = claim.number == 1 ? "" : " (\(claim.number))"
            name = settings.clientName ?? DataFolder.hostName + suffix
            isFirst = claim.number == 1
            self.claim = Mutex(claim)
        } catch { throw .resource(.openReadWrite, "\(error)") }
        unpairedAccess = access ?? settings.unpairedAccess
    }

    /// Releases the folder for the next client; later states are not stored.
    func close() { claim.withLock { _ = $0.take() } }

    func credentials() -> Credentials {
        Credentials(identity: identity, pairingKey: pairingKey, records: records().value)
    }

    /// Changes and reads the pairings, one thread at a time, so that `paired` reflects the last change.
    ///
    /// An error of the change or the read is returned as `damage`.
    @discardableResult
    private func records(_ change: () throws(StoreError) -> Void = {}) -> Stored<[PairingRecord]> {
        let records = recordsTurn.withLock { _ in
            let records = Self.stored { () throws(StoreError) in
                try change()
                return try store.loadRecords()
            }
            paired.withLock { $0 = records.damage == nil ? Set(records.value.map(\.server.id)) : nil }
            changes.wrappingAdd(1, ordering: .releasing)
            return records
        }
        if let damage = records.damage { post(damage) }
        return records
    }

    private static func stored<Value>(_ load: () throws(StoreError) -> Stored<[Value]>) -> Stored<[Value]> {
        do throws(StoreError) { return try load() } catch { return Stored(value: [], damage: error) }
    }

    /// Allows each fault to be posted once more, because an action signal that fails returns only false.
    func postFaultsAgain() { posted.withLock { $0 = [] } }

    /// Logs a fault of the files, and posts it once, because each connection can repeat it.
    private func post(_ fault: StoreError) {
        log.warning(host, "\(fault)")
        guard posted.withLock({ $0.insert("\(fault)").inserted }) else { return }
        host.post(warning: .resource(.openReadWrite, "\(fault)"))
    }

    /// Whether a server may play without pairing, and whether this server is paired, as of the last call of `records`.
    ///
    /// If the pairings cannot be read, the player and all servers count as paired.
    func access(of serverID: String?) -> (isOpen: Bool, isPaired: Bool) {
        paired.withLock { paired in
            let isOpen =
                switch unpairedAccess {
                case .untilPaired: paired?.isEmpty ?? false
                case .never: false
                case .always: true
                }
            return (isOpen, serverID.map { paired?.contains($0) ?? true } ?? false)
        }
    }

    var allowsUnpairedAccess: Bool { access(of: nil).isOpen }

    /// Whether a discovered server must pair or give this player a role, as of the last call of `records`.
    ///
    /// A server that does neither could exclude one that is paired with this player or is about to pair.
    var leavesStrangers: Bool { !allowsUnpairedAccess || paired.withLock { $0?.isEmpty == false } }

    /// Required `server_id` at the address; nil if any is permitted, and empty if the stored servers cannot be read.
    func expectedServer(at address: WebSocketAddress) -> String? {
        // Some servers create a new identity at each start; with `always`, any server may play.
        guard unpairedAccess != .always else { return nil }
        let servers = servers
        guard let server = servers.value.first(where: { $0.address == address.description }) else {
            return servers.damage == nil ? nil : ""
        }
        return server.identity?.id
    }

    /// Whether a connection to the address may be unencrypted.
    ///
    /// An unencrypted server cannot be paired. An attacker who closes an encrypted connection must not cause an
    /// unencrypted one.
    func mayBeUnencrypted(_ address: WebSocketAddress) -> Bool {
        guard unpairedAccess != .never, records() == Stored(value: []) else { return false }
        let servers = servers
        return servers.damage == nil && !servers.value.contains { $0.address == address.description }
    }

    private var servers: Stored<[KnownServer]> {
        let servers = Self.stored { () throws(StoreError) in try store.loadServers() }
        if let damage = servers.damage { post(damage) }
        return servers
    }

    /// Paired servers, the most recently used first.
    var pairings: [PairingRecord] { records().value }

    /// Text that the user enters in a server to pair it with this player.
    var pairingToken: String { PairingToken(client: identity.publicKey, key: pairingKey).revealedText() }

    var lastPlaybackServer: String? {
        do throws(StoreError) { return try store.loadState().value.lastPlaybackServer } catch { return nil }
    }

    // MARK: Changes by a server

    func keep(_ record: PairingRecord) { records { () throws(StoreError) in try store.keep(record) } }

    func markUsed(_ serverID: String) {
        guard let server = PublicKey(id: serverID) else { return }
        attempt { () throws(StoreError) in try store.markUsed(server) }
    }

    /// Removes a pairing; false if there is none, or after a fault, which is posted.
    @discardableResult
    func removeRecord(of serverID: String) -> Bool {
        guard let server = PublicKey(id: serverID) else { return false }
        var isRemoved = false
        records { () throws(StoreError) in isRemoved = try store.removeRecord(of: server) }
        return isRemoved
    }

    /// Stores that the server at an address encrypts, and its identity if the user chose the address and not `always`.
    func met(_ server: PublicKey, at address: WebSocketAddress, isChosen: Bool) {
        let identity = isChosen && unpairedAccess != .always ? server : nil
        attempt { () throws(StoreError) in try store.meet(identity, at: address.description) }
    }

    /// Stores the required identity of the server at an address, where nil permits any; false after a posted fault.
    @discardableResult
    func remember(_ server: PublicKey?, at address: WebSocketAddress) -> Bool {
        attempt { () throws(StoreError) in try store.remember(server, at: address.description) }
    }

    func setLastPlaybackServer(_ serverID: String) { save { $0.lastPlaybackServer = serverID } }

    /// Changes the saved state; after `close`, does nothing.
    func save(_ change: (inout SavedState) -> Void) {
        guard claim.withLock({ $0 != nil }) else { return }
        attempt { () throws(StoreError) in try store.updateState(change) }
    }

    /// The saved state, for the start.
    func loadState() throws(ElementError) -> SavedState {
        do throws(StoreError) {
            let stored = try store.loadState()
            if let damage = stored.damage { post(damage) }
            return stored.value
        } catch { throw .resource(.openReadWrite, "\(error)") }
    }

    @discardableResult
    private func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
        do throws(StoreError) { try body() } catch {
            post(error)
            return false
        }
        return true
    }
}

extension ClientProfile {
    /// Folders of clients in the data folder of the user.
    enum DataFolder {
        /// Name of the folder of a kind of client; other kinds must not take the identity of a player.
        static func name(_ kind: String) -> String { kind == "player" ? "sendspin" : "sendspin-\(kind)" }

        /// Folder of a kind of client in `storage-folder`, which a player and a source may share.
        ///
        /// Without it, the one that starts first would have the identity that servers know as the player. A source beside
        /// a player of its process uses the player's profile instead; see `SharedLinks`.
        static func path(_ kind: String, in folder: String) -> String {
            kind == "player" ? folder : "\(folder)/\(kind)"
        }

        /// Folder of a kind of client in the user's data folder, such as `gst-plugins-swift/sendspin`.
        ///
        /// Without the variable HOME, the password database provides the home folder.
        ///
        /// Source: XDG Base Directory Specification.
        fileprivate static func path(_ kind: String) throws(ElementError) -> String {
            guard let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? home).map({ $0 + "/.local/share" })
            else {
                throw .resource(
                    .settings, "This user has no home folder for the keys of the \(kind). Set storage-folder or HOME.")
            }
            return "\(data)/gst-plugins-swift/\(name(kind))"
        }

        /// The user's home folder in the password database; nil if the path is not absolute.
        private static var home: String? {
            var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
            var buffer = [CChar](repeating: 0, count: 16_384)
            guard unsafe getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
                let folder = unsafe entry.pw_dir
            else { return nil }
            let text = unsafe String(cString: folder)
            return text.hasPrefix("/") ? text : nil
        }

        /// Name of the host; "GStreamer" if it has none.
        fileprivate static var hostName: String { StreamSocket.hostName.isEmpty ? "GStreamer" : StreamSocket.hostName }

        /// An environment variable with an absolute path; the specification requires that other values are ignored.
        private static func variable(_ name: String) -> String? {
            guard let value = unsafe getenv(name) else { return nil }
            let text = unsafe String(cString: value)
            return text.hasPrefix("/") ? text : nil
        }
    }
}
