import Durations
import Foundation
import JSON
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import Testing

/// Sends mutated messages of each kind to sessions in each state.
///
/// When a session has ended, the test sets client and server to the state before the first message, in which their
/// encryption counters match. The test then continues with the next message.
@Suite struct FuzzTests {
    /// Number of messages of each kind in each state; ten thousand with `LONG_TESTS=1`.
    private static let count = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1" ? 10_000 : 2_000

    @Test(arguments: FuzzState.allCases, FuzzKind.allCases)
    func mutatedMessagesNeverTrap(state: FuzzState, kind: FuzzKind) throws {
        let rig = try state.rig()
        let (session, peer) = (rig.session, rig.peer)
        var monitor = ActionMonitor(isStreaming: session.stream != nil)
        let before = monitor
        var mutations = Mutations(seed: UInt64(FuzzKind.allCases.firstIndex(of: kind)! * 100) + 1)
        let seeds = kind.messages.map(\.json)
        var ends = 0
        var violations: [String] = []
        for index in 0..<Self.count {
            let message = try mutated(kind, seeds, rig.peer, &mutations)
            let actions = rig.session.receive(message, at: rig.now)
            monitor.take(actions, of: rig.session)
            try deliver(actions, to: rig)
            if index.isMultiple(of: 7), !rig.session.isClosed {
                rig.now += .milliseconds(mutations.below(50))
                let due = rig.session.advance(to: rig.now)
                monitor.take(due, of: rig.session)
                try deliver(due, to: rig)
            }
            if !rig.session.isBounded { violations.append("memory after message \(index)") }
            violations += monitor.violations
            guard violations.isEmpty else { break }
            guard rig.session.isClosed || index.isMultiple(of: 500) else { continue }
            if rig.session.isClosed { ends += 1 }
            (rig.session, rig.peer, monitor) = (session, peer, before)
        }
        #expect(violations == [])
        // In these states and kinds, most mutations must end the session.
        if state == .awaitingIdentity || kind == .raw && session.configuration.dialect == .encrypted {
            #expect(ends > Self.count / 2)
        }
    }

    /// Delivers the messages of the client to the server; throws if the server cannot decode a message.
    private func deliver(_ actions: [SessionAction], to rig: SessionRig) throws {
        for case .send(let message) in actions {
            switch message {
            case .text(let bytes): _ = try rig.peer.receive(.text(bytes))
            case .binary(let bytes): _ = try rig.peer.receive(.binary(bytes))
            }
        }
    }

    private func mutated(
        _ kind: FuzzKind, _ seeds: [JSONValue], _ peer: ServerPeer, _ mutations: inout Mutations
    ) throws -> SocketMessage {
        if let seed = seeds.randomElement(using: &mutations) {
            // Mutate mostly values, so that the text is still JSON, sometimes bytes, and sometimes nothing.
            let text =
                switch mutations.below(8) {
                case 0: mutations.bytes(Array(seed.text().utf8))
                case 1: Array(seed.text().utf8)
                default: Array(mutations.value(seed).text().utf8)
                }
            return socket(try peer.messages(text: text)[0])
        }
        let bytes = kind.binaries.randomElement(using: &mutations) ?? []
        let message = mutations.below(4) == 0 ? bytes : mutations.bytes(bytes)
        switch kind {
        case .raw: return mutations.below(2) == 0 ? .binary(message) : .text(message)
        default: return socket(try peer.message(plaintext: message))
        }
    }

    private func socket(_ message: PeerMessage) -> SocketMessage {
        switch message {
        case .text(let bytes): .text(bytes)
        case .binary(let bytes): .binary(bytes)
        }
    }
}
