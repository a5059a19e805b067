import GStreamer
import Glibc
import SendspinProtocol
import SendspinSecurity
import Sockets
import Threads
import WebSocket

/// Identity, keys and state of the player; they survive a restart of the application.
final class PlayerProfile: Sendable {
    /// Time from the start of a stream to its first sample, for negotiation, FLAC latency and the sink's ring buffer.
    private static let leadTime = Duration.milliseconds(1000)
    private static let leastBuffer = Duration.milliseconds(500)

    private struct Kept {
        var player: PlayerState
        var schedule = SavingSchedule()
        /// Claim of the folder; nil after `close`.
        var claim: FolderClaim?
    }

    let configuration: SessionConfiguration
    private let store: Store
    private let identity: KeyPair
    private let pairingKey: PreSharedKey
    private let kept: Mutex<Kept>
    private let unpairedAccess: UnpairedAccess
    /// IDs of paired servers; nil if their file is unread or damaged.
    private let paired = Mutex<Set<String>?>(nil)
    /// Serializes changes and reads of the pairing file; meanwhile, other threads can still lock `paired`.
    private let recordsTurn = Mutex(())
    private let posted = Mutex<Set<String>>([])
    private let host: ElementHost

    /// Loads the files of the player; `codecs` contains the codecs that downstream accepts.
    init(
        _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ host: ElementHost
    ) throws(ElementError) {
        self.host = host
        let claim: FolderClaim
        let stored: Stored<SavedState>
        let folder: String
        if let given = settings.storageFolder { folder = given } else { folder = try DataFolder.path() }
        do throws(StoreError) {
            claim = try FolderClaim.first(in: folder)
            store = Store(folder: claim.path)
            identity = try store.loadIdentity()
            pairingKey = try store.loadPairingKey()
            stored = try store.loadState()
        } catch { throw .resource(.openReadWrite, "\(error)") }
        unpairedAccess = settings.unpairedAccess
        let suffix = claim.number == 1 ? "" : " (\(claim.number))"
        let name = settings.clientName ?? DataFolder.hostName + suffix
        configuration = SessionConfiguration(
            name: name,
            device: DeviceInformation(productName: "sendspinsrc", manufacturer: "gst-plugins-swift"),
            roles: [.player, .metadata, .controller, .artwork], formats: OfferedFormats.list(codecs),
            bufferCapacity: Int(settings.bufferCapacity),
            artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 600, height: 600)],
            dialect: settings.allowsUnencrypted ? .legacy : .encrypted, legacyClientID: identity.publicKey.id,
            isServerInitiated: settings.listenAddress != nil)
        let player = PlayerState(
            volume: stored.value.volume ?? 100, isMuted: stored.value.isMuted,
            outputDelay: settings.outputDelay == .zero ? stored.value.outputDelay : settings.outputDelay,
            requiredLeadTime: Self.leadTime, minimumBuffer: Self.leastBuffer)
        kept = Mutex(Kept(player: player, claim: claim))
        if let damage = stored.damage { post(damage) }
    }

    var player: PlayerState { kept.withLock { $0.player } }

    /// Changes the state, and calls `saveIfDue`; false if the state remains the same.
    @discardableResult
    func change(_ body: (inout PlayerState) -> Void) -> Bool {
        let hasChanged = kept.withLock { kept in
            let old = kept.player
            body(&kept.player)
            guard kept.player != old else { return false }
            kept.schedule.changed()
            return true
        }
        if hasChanged { saveIfDue() }
        return hasChanged
    }

    /// Time at which `saveIfDue` must be called next; nil if the state is stored.
    var saveDeadline: Duration? { kept.withLock { $0.schedule.deadline } }

    /// Stores a changed state, at most once per second: a slider sends many volumes, and each write is synced to disk.
    func saveIfDue() { save(at: MonotonicClock.now) }

    func saveNow() { save(at: nil) }

    /// Stores the changed state, and releases the folder for the next player; later states are not stored.
    func close() {
        saveNow()
        _ = kept.withLock { $0.claim.take() }
    }

    private func save(at now: Duration?) {
        let due = kept.withLock { $0.schedule.takes(at: now) && $0.claim != nil ? $0.player : nil }
        guard let player = due else { return }
        save { stored in
            stored.volume = player.volume
            stored.isMuted = player.isMuted
            stored.outputDelay = player.outputDelay
        }
    }

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
        SendspinSource.log.warning(host, "\(fault)")
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

    private func save(_ change: (inout SavedState) -> Void) {
        attempt { () throws(StoreError) in try store.updateState(change) }
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

private enum DataFolder {
    /// Folder of the player in the user's data folder: `gst-plugins-swift/sendspin`.
    ///
    /// Without the variable HOME, the password database provides the home folder.
    ///
    /// Source: XDG Base Directory Specification.
    static func path() throws(ElementError) -> String {
        guard let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? home).map({ $0 + "/.local/share" }) else {
            throw .resource(
                .settings, "This user has no home folder for the keys of the player. Set storage-folder or HOME.")
        }
        return data + "/gst-plugins-swift/sendspin"
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

    /// Name of the host; "GStreamer" if the host has no name.
    static var hostName: String { StreamSocket.hostName.isEmpty ? "GStreamer" : StreamSocket.hostName }

    /// An environment variable if its value is an absolute path; the specification requires to ignore other values.
    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.hasPrefix("/") ? text : nil
    }
}

private enum OfferedFormats {
    /// All formats of the codecs, in the order of the codecs; rates up to 48 kHz are first, because they are common.
    static func list(_ codecs: [AudioCodec]) -> [AudioFormat] {
        codecs.flatMap { codec -> [AudioFormat] in
            switch codec {
            case .opus: [AudioFormat(codec: .opus, channels: 2, sampleRate: 48_000, bitDepth: 16)]
            case .flac, .pcm:
                [48_000, 44_100, 96_000, 192_000].flatMap { rate in
                    [16, 24].map { AudioFormat(codec: codec, channels: 2, sampleRate: rate, bitDepth: $0) }
                }
            }
        }
    }
}
