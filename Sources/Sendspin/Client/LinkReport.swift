import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The connection of an element with a server, for its properties and statistics.
final class LinkReport: Sendable {
    private struct State {
        var server: SessionServer?
        var connection: ObjectIdentifier?
        var lastServerID: String?
        var listenAddress: String?
        /// Time of the next connection attempt; nil during an attempt or a connection.
        var nextAttempt: Duration?
        var connections = 0
        var attempts = 0
    }

    private let state = Mutex(State())

    var isConnected: Bool { state.withLock { $0.server != nil } }
    var isPaired: Bool { state.withLock { $0.server?.isPaired ?? false } }
    var serverName: String? { state.withLock { $0.server?.name } }

    func listens(at address: String) { state.withLock { $0.listenAddress = address } }

    /// Removes the listen address of an old run, whose thread may report late, unless a new run has set another one.
    func listensNoMore(at address: String) {
        state.withLock { if $0.listenAddress == address { $0.listenAddress = nil } }
    }

    func countAttempt() { state.withLock { $0.attempts += 1 } }

    /// Sets the time of the next connection attempt; nil during an attempt.
    func setNextAttempt(at time: Duration?) { state.withLock { $0.nextAttempt = time } }

    /// Notes the server of a connection; returns how it relates to the previous one.
    func connected(_ server: SessionServer, by connection: ObjectIdentifier) -> ServerChange {
        state.withLock { state in
            defer { state.lastServerID = server.id }
            state.server = server
            state.connection = connection
            state.connections += 1
            guard let last = state.lastServerID else { return .first }
            return last == server.id ? .same : .other
        }
    }

    /// Forgets the server of a connection, or of any for nil; false if none or a newer connection was noted.
    func disconnected(from connection: ObjectIdentifier?) -> Bool {
        state.withLock { state in
            guard let noted = state.connection, noted == connection ?? noted else { return false }
            (state.server, state.connection) = (nil, nil)
            return true
        }
    }

    /// Adds the fields of the server to statistics.
    func addServer(to stats: inout Structure) {
        let (server, listenAddress) = state.withLock { ($0.server, $0.listenAddress) }
        stats["server"] = server.map { Structure.Value.string($0.name) }
        stats["encrypted"] = .bool(server?.isEncrypted ?? false)
        stats["listen-address"] = listenAddress.map { .string($0) }
    }

    /// Adds the estimate of the server's clock to statistics.
    static func add(_ estimate: ClockEstimate?, to stats: inout Structure) {
        stats["clock-offset"] = estimate.map { .int64(Int64(nanosecondsOf: $0.offset)) }
        stats["clock-drift-ppm"] = estimate.map { .double($0.drift * 1e6) }
        stats["clock-uncertainty"] = estimate.map { .duration($0.uncertainty) }
    }

    /// Adds the numbers of connections and attempts to statistics.
    func addConnections(to stats: inout Structure) {
        let (connections, attempts, next) = state.withLock { ($0.connections, $0.attempts, $0.nextAttempt) }
        stats["connections"] = .uint64(UInt64(connections))
        stats["connection-attempts"] = .uint64(UInt64(attempts))
        stats["next-attempt-time"] = next.map { .duration(max($0 - MonotonicClock.now, .zero)) }
    }
}

/// Relation of a server to the one before.
enum ServerChange {
    /// There was none.
    case first
    case same
    case other
}
