import Durations
import GStreamer
import Glibc
import SendspinProtocol
import SendspinSecurity
import Sockets
import Threads
import WebSocket
import struct Synchronization.Atomic

/// State of a link that its threads share: the connection that is served, and limits of what servers cause.
final class LinkCore: Sendable {
    struct Turn {
        var current: ServerConnection?
        /// Whether a thread runs an event handler.
        var isBusy = false
    }

    private struct Budgets {
        /// Budget of connections, streams and pairings; each can cause many messages, also of elements downstream.
        var steps = PeerBudget(capacity: 60, pause: .seconds(5))
        /// Like `steps`, but for authenticated servers, which may start many streams when a user skips tracks.
        var authenticatedSteps = PeerBudget(capacity: 600, pause: .seconds(1))
        var warnings = PeerBudget(capacity: 10, pause: .seconds(30))
        /// Of servers that are not admitted; they must not use up the budget of the server that is served.
        var otherWarnings = PeerBudget(capacity: 10, pause: .seconds(30))
    }

    let host: ElementHost
    let log: DebugCategory
    let report: LinkReport
    let profile: ClientProfile
    /// Address of the server; nil to search for one.
    let address: WebSocketAddress?
    /// Address at which servers connect; nil to connect to a server.
    let listenAddress: WebSocketAddress?
    /// Whether a server without encryption is accepted.
    let allowsUnencrypted: Bool
    /// Formats in which the application shows a pairing code.
    let codeFormats: [PairingCode.Format]
    let waker: Waker
    let pauses = Alarm()
    /// Whether the link is that of a player, and not of a source.
    let isPlayer: Bool
    /// Real path of `storage-folder`, whose first player and a source share a connection; nil for others.
    let folder: String?
    let worker = Mutex<Worker?>(nil)
    let turn = Monitor(Turn(), conditions: 1)
    /// Threads that may call handlers of messages and signals.
    let threads = Mutex<Set<UInt>>([])
    private let budgets = Mutex(Budgets())
    private let codeRounds = Atomic(0)
    private let shared = Mutex<(any ServerLink)?>(nil)

    init(
        _ settings: some LinkSettings, allowsUnencrypted: Bool = false, _ profile: ClientProfile, _ report: LinkReport,
        _ host: ElementHost, _ log: DebugCategory
    ) throws(ElementError) {
        (self.host, self.log, self.report, self.profile) = (host, log, report, profile)
        (address, listenAddress) = (settings.server, settings.listenAddress)
        self.allowsUnencrypted = allowsUnencrypted
        codeFormats = settings.pairingCode.formats
        isPlayer = type(of: settings).kind == "player"
        // The profile has created the folder.
        folder = isPlayer && !profile.isFirst ? nil : settings.storageFolder.flatMap { Self.realPath($0) }
        do throws(SocketFailure) { waker = try Waker() } catch {
            throw .resource(.failed, "\(WebSocketError.noResources(reason: error.reason))")
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The link with which this one shares the connection of the player, as `SharedLinks` sets it; nil if it shares none.
    var partner: (any ServerLink)? {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// Whether a player's connection has the role of this source, which then connects to no server by itself.
    var isGuest: Bool { !isPlayer && partner != nil }

    /// Whether this link must end its own connections.
    var mustEnd: Bool { waker.isCancelled || isGuest }

    func takesStep(isAuthenticated: Bool) -> Bool {
        let now = MonotonicClock.now
        return budgets.withLock { isAuthenticated ? $0.authenticatedSteps.take(at: now) : $0.steps.take(at: now) }
    }

    /// Rounds of pairing with a code since a server last had the code; the start of the element begins with 0.
    var usedCodeRounds: Int { codeRounds.load(ordering: .relaxed) }

    func countCodeRound(isVerified: Bool) {
        if isVerified { codeRounds.store(0, ordering: .relaxed) } else { codeRounds.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Posts a warning that a server has caused, within the budget.
    func warn(_ warning: ElementError, isAdmitted: Bool) {
        let now = MonotonicClock.now
        let isPermitted = budgets.withLock {
            isAdmitted ? $0.warnings.take(at: now) : $0.otherWarnings.take(at: now)
        }
        if isPermitted { host.post(warning: warning) }
    }
}
