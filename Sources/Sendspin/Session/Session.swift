import Durations
import SendspinTiming
import SendspinWire

/// The protocol on one connection, as a state machine without input and output.
///
/// The owner calls `start` when the connection is open, `receive` for each message, and `advance` at `deadline`; it
/// carries out the actions that these return. All times are of one monotonic clock. A session must not be copied: its
/// copies would encrypt with the same counters.
public struct Session: Sendable {
    public let configuration: SessionConfiguration
    public private(set) var counters = SessionCounters()

    /// Creates a session.
    ///
    /// `clock` is that of an earlier session; it is used if the server is the same, so that playback continues at the
    /// same time.
    public init(
        _ configuration: SessionConfiguration, _ credentials: Credentials, _ player: PlayerState,
        clock: SessionClock? = nil
    ) {
        self.configuration = configuration
    }

    /// Opens the protocol on a connection that is open.
    public mutating func start(at now: Duration) -> [SessionAction] { [] }

    /// Takes a message.
    ///
    /// `arrival` is the time directly after it was read: the clock depends on it.
    public mutating func receive(_ message: SocketMessage, at arrival: Duration) -> [SessionAction] { [] }

    /// Time at which `advance` must be called next; nil if nothing is due.
    public var deadline: Duration? { nil }

    /// Does what is due at `now`. Calls of any frequency are permitted.
    public mutating func advance(to now: Duration) -> [SessionAction] { [] }

    /// Reports a new state of the player, if it changed.
    public mutating func update(_ player: PlayerState, at now: Duration) -> [SessionAction] { [] }

    /// Sends a command for the group; nil if the server does not offer it now.
    public mutating func send(_ command: ControllerCommand) -> [SessionAction]? { nil }

    /// Leaves the group.
    public mutating func leaveGroup() -> [SessionAction] { [] }

    /// Says goodbye and closes the connection.
    public mutating func close(_ reason: GoodbyeReason) -> [SessionAction] { [] }

    /// Ends the session because the connection was closed or failed.
    public mutating func connectionLost() -> [SessionAction] { [] }

    /// Admits a server-initiated connection, after `Arbiter.judge`.
    public mutating func admit(at now: Duration) -> [SessionAction] { [] }

    /// Dismisses a server-initiated connection, after `Arbiter.judge`.
    public mutating func dismiss(_ dismissal: Dismissal) -> [SessionAction] { [] }

    /// The connection for `Arbiter.judge`; nil before the first activation.
    public var candidate: Arbiter.Candidate? { nil }

    /// Clock of the server, to be given to the next session; nil before the server is known.
    public var clock: SessionClock? { nil }
}

/// Clock of a server with its identity.
public struct SessionClock: Sendable {
    public let serverID: String
    public internal(set) var clock: ServerClock
}
