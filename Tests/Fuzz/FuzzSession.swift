import Durations
import SendspinSupport
@testable import SendspinProtocol

/// A session of the Sendspin protocol that receives the messages of an input, encrypted or unencrypted.
///
/// The first byte of an input selects the state. A step has a byte for its kind, two bytes for its length, and content.
struct FuzzSession {
    private var session: Session
    private var peer: ServerPeer
    private var now: Duration
    private var monitor: ActionMonitor

    /// A session in each state.
    ///
    /// A copy includes the server, so the encryption counters of both ends stay equal.
    private static let starts: [FuzzSession] = FuzzState.allCases.map { state in
        do {
            let rig = try state.rig()
            let monitor = ActionMonitor(isStreaming: rig.session.stream != nil)
            return FuzzSession(session: rig.session, peer: rig.peer, now: rig.now, monitor: monitor)
        } catch {
            fatalError("There is no session in the state \(state): \(error)")
        }
    }

    @Sendable static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        var fuzzed = starts[Int(first) % starts.count]
        var rest = input.dropFirst()
        while !fuzzed.session.isClosed, rest.count > 2 {
            let (kind, length) = (rest.removeFirst(), (Int(rest.removeFirst()) << 8) | Int(rest.removeFirst()))
            let content = Array(rest.prefix(length))
            rest = rest.dropFirst(content.count)
            do { try fuzzed.step(kind, content) } catch { fatalError("The client sent what no server reads: \(error)") }
            let violations = fuzzed.monitor.violations
            require(violations.isEmpty, "the actions are in order: \(violations)")
            require(fuzzed.session.isBounded, "the session is bounded")
        }
    }

    private mutating func step(_ kind: UInt8, _ content: [UInt8]) throws {
        switch kind % 8 {
        case 0: for message in try peer.messages(text: content) { try receive(message) }
        case 1: for message in try peer.messages(binary: content) { try receive(message) }
        case 2: try receive(try peer.message(plaintext: content))
        case 3: try receive(.text(content))
        case 4: try receive(.binary(content))
        case 5:
            now += .milliseconds(content.prefix(2).reduce(0) { ($0 << 8) | Int($1) })
            try perform(session.advance(to: now))
        default: try call(content)
        }
    }

    private mutating func receive(_ message: PeerMessage) throws {
        switch message {
        case .text(let bytes): try perform(session.receive(.text(bytes), at: now))
        case .binary(let bytes): try perform(session.receive(.binary(bytes), at: now))
        }
    }

    /// Calls a method of the session that its owner calls.
    private mutating func call(_ content: [UInt8]) throws {
        let value = content.dropFirst().first.map { Int($0) } ?? 0
        switch (content.first ?? 0) % 6 {
        case 0: try perform(session.update(PlayerState(isAvailable: value & 1 == 0, volume: value), at: now))
        case 1: try perform(session.send(value & 1 == 0 ? .volume(value) : .seek(.milliseconds(value))) ?? [])
        case 2: try perform(session.leaveGroup())
        case 3: try perform(session.admit(at: now))
        // An end that the owner requests has no `failed` event, which `monitor` would require.
        case 4: try deliver(session.dismiss(value & 1 == 0 ? .displaced : .rejected))
        default: try deliver(session.close(.shutdown))
        }
    }

    private mutating func perform(_ actions: [SessionAction]) throws {
        monitor.take(actions, of: session)
        try deliver(actions)
    }

    private mutating func deliver(_ actions: [SessionAction]) throws {
        for case .send(let message) in actions {
            switch message {
            case .text(let bytes): _ = try peer.receive(.text(bytes))
            case .binary(let bytes): _ = try peer.receive(.binary(bytes))
            }
        }
    }
}
