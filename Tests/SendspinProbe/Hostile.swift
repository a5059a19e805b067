import CAllocationCount
import CGStreamer
import Glibc
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import WebSocket

/// Attacks several players at a time with servers that violate the protocol.
///
/// A message that violates the protocol ends its connection, so most attacks require many connections.
struct Hostile {
    private static let width = 12
    /// Number of messages of an attack on one connection.
    private static let batch = 100

    private let kind: AttackGenerator.Kind
    private let isPlaying: Bool
    private let pipeline: Pipeline
    /// Number of hostile messages that the players have taken at least.
    private var taken = 0
    private var connections = 0
    /// Number of connections that ended without a close frame.
    private var abrupt = 0
    private var round = 0

    /// Runs the selected attacks in the selected states, each until the players have taken COUNT messages.
    static func run(_ folder: String, _ arguments: [String]) throws {
        // With an arena per thread, freed memory in the arenas would change the measured memory by up to 15 MB.
        mallopt(M_ARENA_MAX, 1)
        let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 10_000
        for kind in AttackGenerator.Kind.allCases where arguments.isEmpty || "\(kind)" == arguments[0] {
            for state in ["idle", "playing"] where arguments.count < 2 || state == arguments[1] {
                var run = try Hostile(kind, isPlaying: state == "playing", folder)
                let result = try run.attack(until: count)
                print("\(kind) \(state):", result)
                fflush(nil)
            }
        }
    }

    private init(_ kind: AttackGenerator.Kind, isPlaying: Bool, _ folder: String) throws {
        (self.kind, self.isPlaying) = (kind, isPlaying)
        // Each player stores its identity below the folder.
        pipeline = Pipeline(
            "pipeline.( "
                + (0..<Self.width).map { number in
                    // `output-delay` overrides a delay that an attack sets and that may exceed the lead of the chunks.
                    "sendspinsrc name=p\(number) output-delay=1000000 storage-folder=\(folder) "
                        + "! fakesink name=s\(number) sync=false async=false "
                }.joined() + ")")
    }

    private mutating func attack(until count: Int) throws -> String {
        var first: Int?
        // A server stores a report of each connection, so each server is used for only eight rounds.
        while taken < count {
            let server = try FakeServer()
            for number in 0..<Self.width {
                pipeline.element("p\(number)").set(string: "uri", to: server.uri)
            }
            for _ in 0..<8 where taken < count { attackOnce(server) }
            server.stop()
            if first == nil { first = ResidentMemory.kilobytes }
        }
        playsAsBefore(try FakeServer())
        // A connection of the server uses 16 MB for refused headers until its thread ends.
        var growth = 0
        _ = eventually {
            growth = ResidentMemory.kilobytes - (first ?? 0)
            return growth < 16_000
        }
        require(abrupt * 50 <= connections, "\(abrupt) of \(connections) connections ended without a close frame")
        return "\(taken) messages, \(connections) connections, without close frame: \(abrupt), growth: \(growth) kB"
    }

    /// Connects, attacks, waits until the players have taken the attack or closed the connection, and stops.
    private mutating func attackOnce(_ server: FakeServer) {
        round += 1
        let known = server.reports.count
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let isPlaying = isPlaying
        require(
            server.wait(.seconds(60)) { reports in
                // The reports may contain a connection of a player that was stopped in an earlier round.
                let ready = reports[known...].count { report in
                    report.closure == nil && (isPlaying ? report.state?.isAvailable == true : report.isActive)
                }
                return ready == Self.width
            }, "not connected: \(server.failures)")
        if isPlaying {
            server.play(.flac(), lead: .milliseconds(300))
            require(eventually { all { $0.statistic("chunks", of: $1) > 0 } }, "no stream")
        }
        let exchanges = server.reports.map(\.exchangeCount)
        // A header of 2 MB is encrypted for each player before it is sent.
        let size = kind == .headers ? 8 : Self.batch
        server.attack(kind, count: size, seed: UInt64(round) << 20)
        require(
            server.wait(.seconds(60)) { reports in
                zip(reports, exchanges).allSatisfy { $0.closure != nil || $0.exchangeCount > $1 + 8 }
            }, "the attack was not taken")
        let settled = server.reports
        gst_element_set_state(pipeline.raw, GST_STATE_READY)
        require(server.wait { $0.allSatisfy { $0.closure != nil } }, "a connection remains open")
        server.end()
        // A connection that the stop interrupts early has no client ID, because the player has sent no message.
        for report in server.reports[known...] where report.clientID != nil {
            if case .byPeer? = report.closure { continue }
            abrupt += 1
        }
        discardMessages()
        connections += Self.width
        let counted = zip(server.reports, settled).dropFirst(known).reduce(messages()) { count, reports in
            let (report, settled) = reports
            let before = report.beforeAttack
            guard before.sent > 0 else { return count }
            // A player that has closed the connection has taken no message that was sent after the attack. A player
            // with an open connection may have taken all answers and chunks.
            guard settled.closure == nil else { return count - before.sent }
            return count - before.sent - (report.exchangeCount - before.answers) - (report.chunkCount - before.chunks)
        }
        // On a busy machine, many chunks wait in the network. A player with an open connection has taken all messages.
        let certain = settled.dropFirst(known).filter { $0.beforeAttack.sent > 0 }
            .reduce(0) { $0 + ($1.closure == nil ? size : 1) }
        taken += max(counted, certain)
    }

    /// Discards the messages on the bus, because no code reads them.
    private func discardMessages() {
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_flushing(bus, 1)
        gst_bus_set_flushing(bus, 0)
        gst_object_unref(bus)
    }

    /// Number of messages of the server that the players have taken.
    private func messages() -> Int {
        (0..<Self.width).reduce(0) { $0 + Int(pipeline.statistic("messages", of: "p\($1)")) }
    }

    private func all(_ condition: (Pipeline, String) -> Bool) -> Bool {
        (0..<Self.width).allSatisfy { condition(pipeline, "p\($0)") }
    }

    /// Requires that the players play from a server that follows the protocol.
    private func playsAsBefore(_ server: FakeServer) {
        for number in 0..<Self.width { pipeline.element("p\(number)").set(string: "uri", to: server.uri) }
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        require(
            server.wait(.seconds(60)) { reports in
                reports.count == Self.width && reports.allSatisfy { $0.state?.isAvailable == true }
            }, "not connected after the attacks")
        server.play(.pcm(), lead: .milliseconds(500))
        require(eventually { all { $0.statistic("played", of: $1) > 4 } }, "the players do not play after the attacks")
        gst_element_set_state(pipeline.raw, GST_STATE_NULL)
        require(server.violations.isEmpty, "violations: \(server.violations)")
        server.stop()
    }
}
