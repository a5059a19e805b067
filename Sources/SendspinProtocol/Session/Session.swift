import Durations
import SendspinSecurity

/// The protocol on one connection, as a state machine without I/O.
///
/// The owner calls `start` when the connection is open, `receive` for each message, and `advance` at `deadline`. It
/// performs the actions that these functions return. All times are of one monotonic clock. A session must not be
/// copied: the copies would encrypt with the same counters.
public struct Session: Sendable {
    /// Settings of the session.
    public internal(set) var configuration: SessionConfiguration
    /// Counts of messages, chunks and events.
    public internal(set) var counters = SessionCounters()
    /// The server; nil before it is known.
    public internal(set) var server: SessionServer?
    /// Activities of the last activation.
    public internal(set) var activities: Set<Activity> = []
    /// Active roles.
    public internal(set) var roles: Set<Role> = []
    /// Clock of the server, for the next session; nil until an admitted server activates a role.
    public internal(set) var clock: SessionClock?

    var credentials: Credentials
    var player: PlayerState
    var source: CaptureState
    var sourceTurn = SourceTurn()
    var phase = Phase.idle
    var link: EncryptedLink?
    /// Time at which the current step times out.
    var stepDeadline: Duration?
    /// Deadline for all steps together, until `apply` clears it; nil if only `stepDeadline` applies.
    var provisionalDeadline: Duration?
    /// Whether an attempt to pair by a code has extended `stepDeadline`, which only one attempt of a connection does.
    var isStepExtended = false
    /// Roles of the last activation in the server's notation.
    var roleNames: [String] = []
    /// Whether the connection waits for `admit`.
    var isProvisional: Bool
    var pairing = PairingAttempt()
    /// Pairing method of the last activation; nil after `startPairing`.
    var pairingMethod: PairingMethod?
    var usedCodeRounds = 0
    var rememberedClock: SessionClock?
    var reporter = StateReporter()
    /// Stream of the player; nil if no stream plays.
    public internal(set) var stream: PlayerStream?
    var isArtworkActive = false
    var images: ArtworkReceiver
    var metadata = Scheduled<Metadata>()
    var palette = Scheduled<Palette>(lead: Session.displayLead)
    var visualizer: VisualizerReceiver
    var controller: ControllerState?
    var group: GroupUpdate?
    /// Types of ignored messages that were reported.
    var reportedTypes: Set<String> = []
    var actions: [SessionAction] = []

    /// Creates a session.
    ///
    /// `clock` is from an earlier session. It is used if the server is the same, so that playback continues in time.
    public init(
        _ configuration: SessionConfiguration, _ credentials: Credentials, _ player: PlayerState,
        _ source: CaptureState = CaptureState(), clock: SessionClock? = nil
    ) {
        self.configuration = configuration
        self.credentials = credentials
        self.player = player
        self.source = source
        rememberedClock = clock
        isProvisional = configuration.isServerInitiated
        visualizer = VisualizerReceiver(bandCount: configuration.visualizer.bandCount)
        images = ArtworkReceiver(
            channelCount: min(configuration.artwork.count, 4), sizeLimit: configuration.limits.imageSize)
    }
}

/// Clock of a server with its identity.
public struct SessionClock: Sendable {
    /// `server_id` of the server.
    public let serverID: String
    /// Estimator of the server's clock.
    public internal(set) var clock: ServerClock
}

// MARK: - Calls of the owner

extension Session {
    /// Starts the protocol on an open connection.
    public mutating func start(at now: Duration) -> [SessionAction] {
        run { session throws(SessionFailure) in try session.open(at: now) }
    }

    /// Handles a message; for an accurate clock estimate, the caller reads `arrival` as soon as the message arrives.
    public mutating func receive(_ message: consuming SocketMessage, at arrival: Duration) -> [SessionAction] {
        var message = message
        return run { session throws(SessionFailure) in try session.take(&message, at: arrival) }
    }

    /// Performs all work that is due at `now`; may be called at any time.
    ///
    /// Only this method sends time requests. Read `now` directly before it, and perform its actions directly after it.
    public mutating func advance(to now: Duration) -> [SessionAction] {
        run { session throws(SessionFailure) in try session.pass(to: now) }
    }

    /// Permits or forbids unpaired playback from the next activation on.
    public mutating func setUnpairedAccess(_ isAllowed: Bool) { configuration.allowsUnpairedAccess = isAllowed }

    /// Sets the rounds of pairing with a code that all connections have used since a server last had the code.
    public mutating func setUsedCodeRounds(_ count: Int) { usedCodeRounds = count }

    /// Reports the player's state if it has changed.
    public mutating func update(_ player: PlayerState, at now: Duration) -> [SessionAction] {
        run { session throws(SessionFailure) in
            session.player = player
            try session.report(at: now)
        }
    }

    /// Sends a command for the group; nil if the server does not offer it.
    public mutating func send(_ command: ControllerCommand) -> [SessionAction]? {
        guard phase.isActive, !isProvisional, roles.contains(.controller),
            controller?.commands.contains(command.name) ?? false
        else { return nil }
        return run { session throws(SessionFailure) in try session.transmit(.command(command)) }
    }

    /// Leaves the group if the connection is active; the legacy dialect has no such message.
    public mutating func leaveGroup() -> [SessionAction] {
        guard phase.isActive, !isProvisional, configuration.dialect == .encrypted else { return [] }
        return run { session throws(SessionFailure) in try session.transmit(.leave) }
    }

    /// Sends goodbye if the protocol permits it, and closes the connection.
    public mutating func close(_ reason: GoodbyeReason) -> [SessionAction] {
        run { session throws(SessionFailure) in try session.end(.goodbye(reason)) }
    }

    /// Ends the session after a loss of the connection.
    ///
    /// `violation` describes how the server violated the WebSocket protocol; nil if it did not.
    public mutating func connectionLost(violation: String? = nil) -> [SessionAction] {
        run { session throws(SessionFailure) in throw violation.map { .violation($0) } ?? session.lossFailure }
    }

    private var lossFailure: SessionFailure {
        switch (phase, configuration.dialect) {
        case (.idle, _), (.awaitingIdentity, _):
            SessionFailure(
                .closedInHandshake,
                "The server closed the connection before it stated its identity. "
                    + "It may speak only the protocol without encryption, as aiosendspin 4 to 6 do, which "
                    + "allow-unencrypted=true accepts.")
        case (.awaitingHello, .legacy):
            SessionFailure(
                .closedInHandshake,
                "The server closed the connection. It may require encryption, or know this client as paired.")
        case (.awaitingHandshake, _), (.awaitingHello, _):
            SessionFailure(
                .closedInHandshake,
                "The server closed the connection during the handshake. Approve this client in the server, or pair it.")
        default: SessionFailure(.connectionLost, "The connection to the server was lost.")
        }
    }

    /// Admits a server-initiated connection after `Arbiter.judge`.
    public mutating func admit(at now: Duration) -> [SessionAction] {
        guard isProvisional, phase.isActive else { return [] }
        return run { session throws(SessionFailure) in
            session.isProvisional = false
            session.reporter.require(by: now + session.configuration.limits.stateTimeout)
            try session.beginActivities(at: now)
        }
    }

    /// Dismisses a connection after `Arbiter.judge`.
    public mutating func dismiss(_ dismissal: Dismissal) -> [SessionAction] {
        run { session throws(SessionFailure) in
            if session.activities.contains(.pairing) {
                try session.end(.pairingAbort(.concurrentAttempt))
            } else {
                try session.end(.goodbye(dismissal == .displaced ? .anotherServer : .concurrentAttempt))
            }
        }
    }

    /// The candidate for `Arbiter.judge`; nil before the first activation.
    public var candidate: Arbiter.Candidate? {
        guard phase.isActive, let server else { return nil }
        return Arbiter.Candidate(
            serverID: server.id, activities: activities,
            isAuthenticated: server.isPaired || (server.keyCategory == .pairing && activities == [.pairing]),
            isPairingInProgress: pairing.isInProgress)
    }

    /// Whether the session has ended.
    public var isClosed: Bool { phase.isClosed }
}

// MARK: - Actions

extension Session {
    /// Returns the actions of `body`; a failure ends the session.
    mutating func run(_ body: (inout Session) throws(SessionFailure) -> Void) -> [SessionAction] {
        guard !phase.isClosed else { return [] }
        do throws(SessionFailure) { try body(&self) } catch { fail(error) }
        defer { actions = [] }
        return actions
    }

    mutating func emit(_ event: SessionEvent) { actions.append(.event(event)) }

    private mutating func fail(_ failure: SessionFailure) {
        forgetSource()
        _ = endPairing()
        emit(.failed(failure))
        // RFC 6455, section 7.4.1: 1002 is a protocol error.
        actions.append(.close(code: failure.kind == .violation ? 1002 : 1000))
        phase = .closed
        link = nil
    }
}

// MARK: - State

extension Session {
    /// The step of the protocol for which a session waits.
    enum Phase: Sendable {
        /// `start` has not been called.
        case idle
        /// Waits for `server/init`; the sent bytes are part of the handshake.
        case awaitingIdentity(sent: [UInt8])
        /// Waits for the first message of the handshake.
        case awaitingHandshake(prologue: [UInt8], server: PublicKey)
        /// Waits for `server/hello`.
        case awaitingHello
        /// Waits for `server/activate`; before it, the client sends no time, state or command.
        case awaitingActivation(isFirst: Bool)
        case active
        case closed

        var description: String {
            switch self {
            case .idle: "the connection"
            case .awaitingIdentity: "the identity of the server (server/init)"
            case .awaitingHandshake: "the handshake of the server (noise/handshake)"
            case .awaitingHello: "the greeting of the server (server/hello)"
            case .awaitingActivation: "the activation by the server (server/activate)"
            case .active: "a role for this player (server/activate)"
            case .closed: "the end of the connection"
            }
        }

        var isActive: Bool {
            if case .active = self { true } else { false }
        }

        var isClosed: Bool {
            if case .closed = self { true } else { false }
        }

        /// Whether the server may send messages other than handshake texts.
        var isOpen: Bool {
            switch self {
            case .awaitingHello, .awaitingActivation, .active: true
            case .idle, .awaitingIdentity, .awaitingHandshake, .closed: false
            }
        }
    }
}
