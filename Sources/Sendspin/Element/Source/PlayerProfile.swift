import GStreamer
import SendspinNoise
import SendspinSession
import SendspinStore
import SendspinWire
import Synchronization

/// Identity, keys and state of the player, which survive a restart of the application.
final class PlayerProfile: Sendable {
    /// Time from the start of a stream to its first sample: negotiation, the latency of FLAC, and the ring buffer of a
    /// sink.
    private static let leadTime = Duration.milliseconds(1000)
    private static let leastBuffer = Duration.milliseconds(500)

    let configuration: SessionConfiguration
    private let claim: FolderClaim
    private let store: Store
    private let identity: KeyPair
    private let pairingKey: PreSharedKey
    private let state: Mutex<PlayerState>
    private let host: ElementHost

    /// `codecs` are those that downstream accepts.
    init(
        _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ host: ElementHost
    ) throws(ElementError) {
        self.host = host
        let stored: Stored<SavedState>
        do throws(StoreError) {
            claim = try FolderClaim.first(in: settings.storageFolder ?? DataFolder.path)
            store = Store(folder: claim.path)
            identity = try store.loadIdentity()
            pairingKey = try store.loadPairingKey()
            stored = try store.loadState()
        } catch { throw .resource(.openReadWrite, "\(error)") }
        if let damage = stored.damage { host.post(warning: .resource(.read, "\(damage)")) }
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
        state = Mutex(
            PlayerState(
                volume: stored.value.volume ?? 100, isMuted: stored.value.isMuted,
                outputDelay: settings.outputDelay == .zero ? stored.value.outputDelay : settings.outputDelay,
                requiredLeadTime: Self.leadTime, minimumBuffer: Self.leastBuffer))
    }

    /// State that a session reports to the server.
    var player: PlayerState { state.withLock { $0 } }

    /// Changes the state, and stores it; false if it is the same.
    @discardableResult
    func change(_ body: (inout PlayerState) -> Void) -> Bool {
        let (old, new) = state.withLock { state in
            let old = state
            body(&state)
            return (old, state)
        }
        guard new != old else { return false }
        save { stored in
            stored.volume = new.volume
            stored.isMuted = new.isMuted
            stored.outputDelay = new.outputDelay
        }
        return true
    }

    /// Keys for a session.
    func credentials() -> Credentials {
        var credentials = Credentials(identity: identity, pairingKey: pairingKey)
        do throws(StoreError) {
            let records = try store.loadRecords()
            if let damage = records.damage { host.post(warning: .resource(.read, "\(damage)")) }
            credentials.records = records.value.map { Credentials.Record(serverID: $0.server.id, key: $0.key) }
        } catch { host.post(warning: .resource(.read, "\(error)")) }
        return credentials
    }

    /// Text that the user enters in a server to pair it with this player.
    var pairingToken: String { PairingToken(client: identity.publicKey, key: pairingKey).revealedText() }

    /// The `server_id` of the server that played last.
    var lastPlaybackServer: String? {
        do throws(StoreError) { return try store.loadState().value.lastPlaybackServer } catch { return nil }
    }

    // MARK: Changes by a server

    func keep(_ record: Credentials.Record, serverName: String) {
        guard let server = PublicKey(id: record.serverID) else { return }
        attempt { () throws(StoreError) in
            try store.keep(PairingRecord(server: server, key: record.key, name: serverName))
        }
    }

    func markUsed(_ serverID: String) {
        guard let server = PublicKey(id: serverID) else { return }
        attempt { () throws(StoreError) in try store.markUsed(server) }
    }

    func removeRecord(of serverID: String) {
        guard let server = PublicKey(id: serverID) else { return }
        attempt { () throws(StoreError) in try store.removeRecord(of: server) }
    }

    func setLastPlaybackServer(_ serverID: String) { save { $0.lastPlaybackServer = serverID } }

    private func save(_ change: (inout SavedState) -> Void) {
        attempt { () throws(StoreError) in try store.updateState(change) }
    }

    private func attempt(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) { try body() } catch { host.post(warning: .resource(.write, "\(error)")) }
    }
}
