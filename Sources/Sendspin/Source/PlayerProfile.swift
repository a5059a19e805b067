import GStreamer
import Glibc
import SendspinProtocol
import SendspinSecurity
import Threads
import WebSocket

/// Identity, keys and state of the player, which survive a restart of the application.
final class PlayerProfile: Sendable {
    /// Time from the start of a stream to its first sample: negotiation, the latency of FLAC, and the ring buffer of a
    /// sink.
    private static let leadTime = Duration.milliseconds(1000)
    private static let leastBuffer = Duration.milliseconds(500)

    let configuration: SessionConfiguration
    /// Nil after the end.
    private let claim: Mutex<FolderClaim?>
    private let store: Store
    private let identity: KeyPair
    private let pairingKey: PreSharedKey
    private let state: Mutex<PlayerState>
    private let saving = Mutex(SavingSchedule())
    private let unpairedAccess: UnpairedAccess
    /// Servers with a pairing; nil if they are not known, because their file was not read, or is damaged.
    private let paired = Mutex<Set<String>?>(nil)
    /// Held while the pairings are changed and read: `paired` is not held, because each message of a server takes it.
    private let recordsTurn = Mutex(())
    /// Faults of the files that were posted.
    private let posted = Mutex<Set<String>>([])
    private let host: ElementHost

    /// `codecs` are those that downstream accepts.
    init(
        _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ host: ElementHost
    ) throws(ElementError) {
        self.host = host
        let stored: Stored<SavedState>
        let suffix: String
        let folder: String
        if let given = settings.storageFolder { folder = given } else { folder = try DataFolder.path() }
        do throws(StoreError) {
            let claim = try FolderClaim.first(in: folder)
            suffix = claim.number == 1 ? "" : " (\(claim.number))"
            store = Store(folder: claim.path)
            identity = try store.loadIdentity()
            pairingKey = try store.loadPairingKey()
            stored = try store.loadState()
            self.claim = Mutex(claim)
        } catch { throw .resource(.openReadWrite, "\(error)") }
        unpairedAccess = settings.unpairedAccess
        let name = settings.clientName ?? DataFolder.hostName + suffix
        configuration = SessionConfiguration(
            name: name,
            device: DeviceInformation(productName: "sendspinsrc", manufacturer: "gst-plugins-swift"),
            roles: [.player, .metadata, .controller, .artwork], formats: OfferedFormats.list(codecs),
            bufferCapacity: Int(settings.bufferCapacity),
            artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 600, height: 600)],
            dialect: settings.allowsUnencrypted ? .legacy : .encrypted, legacyClientID: identity.publicKey.id,
            isServerInitiated: settings.listenAddress != nil)
        state = Mutex(
            PlayerState(
                volume: stored.value.volume ?? 100, isMuted: stored.value.isMuted,
                outputDelay: settings.outputDelay == .zero ? stored.value.outputDelay : settings.outputDelay,
                requiredLeadTime: Self.leadTime, minimumBuffer: Self.leastBuffer))
        if let damage = stored.damage { post(damage) }
    }

    /// State that a session reports to the server.
    var player: PlayerState { state.withLock { $0 } }

    /// Changes the state; false if it is the same.
    ///
    /// It is stored at once, or by `saveIfDue` if that was done less than a second before.
    @discardableResult
    func change(_ body: (inout PlayerState) -> Void) -> Bool {
        let hasChanged = state.withLock { state in
            let old = state
            body(&state)
            return state != old
        }
        guard hasChanged else { return false }
        saving.withLock { $0.changed() }
        saveIfDue()
        return true
    }

    /// Time at which `saveIfDue` has something to do; nil if nothing waits.
    var saveDeadline: Duration? { saving.withLock { $0.deadline } }

    /// Stores a changed state, at most once per second: a slider sends many volumes, and each file is synchronised.
    func saveIfDue() {
        if saving.withLock({ $0.takes(at: MonotonicClock.now) }) { save(player) }
    }

    /// Stores a changed state without a pause.
    func saveNow() {
        if saving.withLock({ $0.takes(at: nil) }) { save(player) }
    }

    /// Stores what has changed, and leaves the folder to the next player; no state is stored afterwards.
    func close() {
        saveNow()
        claim.withLock { $0 = nil }
    }

    private func save(_ player: PlayerState) {
        guard claim.withLock({ $0 != nil }) else { return }
        save { stored in
            stored.volume = player.volume
            stored.isMuted = player.isMuted
            stored.outputDelay = player.outputDelay
        }
    }

    /// Keys for a session.
    func credentials() -> Credentials {
        let records = records().value.map { Credentials.Record(serverID: $0.server.id, key: $0.key) }
        return Credentials(identity: identity, pairingKey: pairingKey, records: records)
    }

    /// Changes and reads the pairings, one thread at a time: the servers in memory are those of the last change.
    ///
    /// A fault of either is the damage of the result.
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

    /// Posts each fault again that is found from now on, because an action signal returns that it failed.
    func postFaultsAgain() { posted.withLock { $0 = [] } }

    /// Posts a fault of the files once, because each connection of a server can repeat it.
    private func post(_ fault: StoreError) {
        SendspinSource.log.warning(host, "\(fault)")
        guard posted.withLock({ $0.insert("\(fault)").inserted }) else { return }
        host.post(warning: .resource(.openReadWrite, "\(fault)"))
    }

    /// Whether a server may play without pairing, after the last `credentials`.
    ///
    /// If the pairings cannot be read, there may be one.
    var allowsUnpairedAccess: Bool {
        switch unpairedAccess {
        case .untilPaired: paired.withLock { $0?.isEmpty ?? false }
        case .never: false
        case .always: true
        }
    }

    /// Whether a server that was found must pair or give this player a role, after the last `credentials`.
    ///
    /// Another one may be paired with this player, or may be the one to pair.
    var leavesStrangers: Bool { !allowsUnpairedAccess || paired.withLock { $0?.isEmpty == false } }

    /// The `server_id` that a server at the address must have, that of the first encrypted connection; nil for any, and
    /// empty if it cannot be read.
    func expectedServer(at address: WebSocketAddress) -> String? {
        // Some servers make a new identity at each start, and then any server may play.
        guard unpairedAccess != .always else { return nil }
        let servers = servers
        guard let server = servers.value.first(where: { $0.address == address.description }) else {
            return servers.damage == nil ? nil : ""
        }
        return server.identity?.id
    }

    /// Whether a connection to the address may be unencrypted: such a server cannot be paired, and an attacker who closes
    /// a connection must not get another one that he can read.
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

    /// Servers with a pairing, and their names, the most recently used first.
    var pairings: [PairingRecord] { records().value }

    /// Whether the server has a pairing; true if that is not known.
    func isPaired(_ serverID: String) -> Bool { paired.withLock { $0?.contains(serverID) ?? true } }

    /// Text that the user enters in a server to pair it with this player.
    var pairingToken: String { PairingToken(client: identity.publicKey, key: pairingKey).revealedText() }

    /// The `server_id` of the server that played last.
    var lastPlaybackServer: String? {
        do throws(StoreError) { return try store.loadState().value.lastPlaybackServer } catch { return nil }
    }

    // MARK: Changes by a server

    func keep(_ record: Credentials.Record, serverName: String) {
        guard let server = PublicKey(id: record.serverID) else { return }
        records { () throws(StoreError) in
            try store.keep(PairingRecord(server: server, key: record.key, name: serverName))
        }
    }

    func markUsed(_ serverID: String) {
        guard let server = PublicKey(id: serverID) else { return }
        attempt { () throws(StoreError) in try store.markUsed(server) }
    }

    /// Removes a pairing; false if there is none, or if it remains because of a fault, which is posted.
    @discardableResult
    func removeRecord(of serverID: String) -> Bool {
        guard let server = PublicKey(id: serverID) else { return false }
        var isRemoved = false
        records { () throws(StoreError) in isRemoved = try store.removeRecord(of: server) }
        return isRemoved
    }

    /// Stores that the server at an address encrypts, and its identity if the user has chosen the address.
    func met(_ server: PublicKey, at address: WebSocketAddress, isChosen: Bool) {
        let identity = isChosen && unpairedAccess != .always ? server : nil
        attempt { () throws(StoreError) in try store.meet(identity, at: address.description) }
    }

    /// Stores which identity a server at an address must have, nil for any; false after a fault, which is posted.
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

/// Names that the system provides.
enum DataFolder {
    /// Folder of the player: `sendspin` below `gst-plugins-swift` in the user's data folder.
    ///
    /// Without the variable HOME, the home of the user is that of the password database.
    ///
    /// Source: XDG Base Directory Specification.
    static func path() throws(ElementError) -> String {
        guard let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? home).map({ $0 + "/.local/share" }) else {
            throw .resource(
                .settings, "This user has no home folder for the keys of the player. Set storage-folder or HOME.")
        }
        return data + "/gst-plugins-swift/sendspin"
    }

    /// The home of the user in the password database; nil if it is not an absolute path.
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
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "GStreamer" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "GStreamer" : text
    }

    /// A variable with an absolute path; nil for another value, which the specification says to ignore.
    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.hasPrefix("/") ? text : nil
    }
}

/// The formats that `sendspinsrc` offers to a server.
enum OfferedFormats {
    /// All formats of the codecs, in their order; at most 48 kHz first, since that is what servers have in store.
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
