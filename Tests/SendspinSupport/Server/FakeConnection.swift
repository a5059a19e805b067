import TestSupport
import Durations
@testable import SendspinProtocol
import Threads
import WebSocket

/// One connection of a fake server, with its own thread.
///
/// The thread also runs the work that the server queues for the connection.
final class FakeConnection {
    let number: Int
    let core: FakeServerCore
    var peer: FakePeer
    private let socket: WebSocket
    private var outgoing = DelayLine<WebSocketMessage>()
    private var incoming = DelayLine<(message: WebSocketMessage, sent: Duration)>()
    private var sender = StreamSender()
    private var streamDeadline: Duration?
    private var dice: Random
    /// Whether the socket currently accepts no more messages.
    private var isBlocked = false
    /// Whether the connection must end without a close frame.
    var isLost = false

    init(_ socket: WebSocket, number: Int, core: FakeServerCore) {
        self.socket = socket
        self.number = number
        self.core = core
        let (settings, keys, seed) = core.state.change { ($0.settings, $0.keys, $0.seed) }
        peer = FakePeer(settings, keys)
        dice = Random(seed: seed &+ UInt64(number))
    }

    /// The present time on the monotonic clock and on the clock of the fake server.
    var now: Moment { moment(MonotonicClock.now) }

    private func moment(_ local: Duration) -> Moment {
        Moment(local: local, server: core.state.change { $0.clock.time(at: local) })
    }

    /// Drives the connection until it ends.
    func run() {
        while true {
            core.state.await { state -> Monitor<SharedServerState>.Step<Void> in
                state.isHeld && !state.isStopped ? .wait(FakeServerCore.changed, until: nil) : .done(())
            }
            for work in core.takeWork(number) { work(self) }
            if isLost { return finish(.withoutGoodbye) }
            let now = now
            takeIncoming(now)
            // Send answers to `client/time` before audio is encoded, which takes time.
            sendOutgoing()
            peer.advance(to: now.local)
            greet()
            stream(now)
            sendOutgoing()
            core.publish(peer, number)
            if let code = peer.closeCode, outgoing.count == 0 {
                socket.close(code)
                return finish(.byUs(code, reason: ""))
            }
            switch socket.wait(until: deadline()) {
            case .message(let message, let arrivedAt):
                let delay = core.state.change { $0.network.uplink }
                incoming.append((message, arrivedAt), at: arrivedAt, delay: delay)
            case .closed(let closure): return finish(closure)
            case .timeout, .woken: break
            case .cancelled:
                socket.close(.goingAway)
                return finish(.byUs(.goingAway, reason: ""))
            }
        }
    }

    /// Stops all messages in both directions until a local time.
    func stall(until time: Duration) {
        outgoing.stall(until: time)
        incoming.stall(until: time)
    }

    /// Sends a WebSocket message unchanged.
    func sendRaw(_ message: WebSocketMessage) { peer.outbox.append(message) }

    private func takeIncoming(_ now: Moment) {
        while let (message, sent) = incoming.next(at: now.local) {
            let delay = core.state.change { $0.network.uplink }
            // Without a simulated delay, the time at which the message was read is more exact than the present time.
            let arrival = delay == .zero && incoming.count == 0 ? moment(sent) : self.now
            peer.receive(message, at: arrival, now: self.now)
        }
    }

    /// Sends group and descriptions to a client whose roles became active.
    private func greet() {
        guard peer.needsGreeting else { return }
        peer.needsGreeting = false
        let (group, metadata, controller) = core.state.change { ($0.group, $0.metadata, $0.controller) }
        peer.send(.group(group))
        if let metadata { show(metadata) }
        if let controller { offer(controller) }
    }

    func show(_ metadata: Metadata) {
        if peer.roles.contains(.metadata) { peer.send(.state(ServerState(metadata: metadata))) }
    }

    func offer(_ controller: ControllerState) {
        peer.offered = controller.commands
        if peer.roles.contains(.controller) { peer.send(.state(ServerState(controller: controller))) }
    }

    /// Sends the chunks and messages of the stream whose time has come.
    private func stream(_ now: Moment) {
        streamDeadline = nil
        guard peer.isReady, !isBlocked else { return }
        let capacity = peer.report.hello?.bufferCapacity ?? 1 << 20
        let lead = (peer.report.state?.player?.requiredLeadTime ?? .zero) + .milliseconds(200)
        // After a stall, take at most 200 steps before other work.
        for _ in 0..<200 {
            let (outputs, deadline) = core.state.change { state in
                var deadline: Duration?
                let outputs = sender.next(
                    &state.timeline, now: self.moment(MonotonicClock.now, state.clock), sendAhead: state.sendAhead,
                    capacity: capacity, lead: lead, deadline: &deadline)
                return (outputs, deadline.map { state.clock.local(of: $0) })
            }
            streamDeadline = deadline
            guard !outputs.isEmpty else { return }
            for output in outputs { send(output) }
        }
        streamDeadline = now.local
    }

    private func moment(_ local: Duration, _ clock: ServerClock) -> Duration { clock.time(at: local) }

    private func send(_ output: StreamSender.Output) {
        switch output {
        case .message(let message): peer.send(message)
        case .chunk(let number, let segment):
            // Encode the chunk here, without the mutex of the shared state, for which other threads may wait.
            let payload = segment.stream.payload(of: number, firstIndex: segment.firstIndex)
            let time = segment.time(of: number)
            let chunk = AudioChunk(
                timestamp: time, sendAhead: max(time - now.server, .zero), payload: payload[...])
            peer.report.chunkCount += 1
            peer.report.audioBytes += chunk.payload.count
            peer.send(binary: chunk.bytes(peer.dialect))
        case .announcement(let isPlaying):
            if isPlaying { peer.announcePlayback() }
            let group = core.state.change { state in
                state.group.playback = isPlaying ? .playing : .stopped
                return state.group
            }
            peer.send(.group(group))
        case .finished(let generation): core.endTimeline(generation)
        }
    }

    /// Moves new messages into the simulated network, and messages that leave the network to the socket.
    private func sendOutgoing() {
        let now = MonotonicClock.now
        let network = core.state.change { $0.network }
        for message in peer.outbox {
            let jitter = network.jitter * Double.random(in: 0...1, using: &dice)
            outgoing.append(message, at: now, delay: network.downlink + jitter)
            peer.report.sentCount += 1
        }
        peer.outbox = []
        // If the client reads slowly, more unsent bytes would exceed the limit of the connection.
        while socket.unsentBytes < 1 << 20, let message = outgoing.next(at: now) { socket.send(message) }
        isBlocked = socket.unsentBytes >= 1 << 20
    }

    private func deadline() -> Duration? {
        // The wait of the socket sends data, but does not end when the data are sent, so wait only 5 ms.
        let sending = isBlocked ? MonotonicClock.now + .milliseconds(5) : outgoing.deadline
        return [peer.deadline, sending, incoming.deadline, streamDeadline].compactMap { $0 }.min()
    }

    private func finish(_ closure: WebSocketClosure) {
        peer.report.closure = closure
        core.publish(peer, number)
    }
}
