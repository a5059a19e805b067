import Durations
import SendspinSecurity
@testable import SendspinProtocol
import Threads
import WebSocket

extension FakeServer {
    /// Simulates a network from now on.
    package func setNetwork(_ network: NetworkConditions, seed: UInt64 = 1) {
        core.change {
            $0.network = network
            $0.seed = seed
        }
    }

    /// Changes the settings for clients that connect later.
    package func changeSettings(_ change: (inout PeerSettings) -> Void) { core.change { change(&$0.settings) } }

    /// Holds all messages in both directions for a time, while the connections stay open.
    package func stall(for time: Duration) {
        let end = MonotonicClock.now + time
        core.perform { $0.stall(until: end) }
    }

    /// Holds the threads of all connections until `resume`, so that the network takes only what its memory holds.
    package func hold() {
        core.change { $0.isHeld = true }
        core.wakeConnections()
    }

    /// Lets the connections read and send again.
    package func resume() { core.change { $0.isHeld = false } }

    /// Ends all connections without a close frame, as a crash of the server does.
    package func loseConnections() { core.perform { $0.isLost = true } }

    /// Ends all connections with a close frame.
    package func closeConnections(_ code: CloseCode = .goingAway) { core.perform { $0.peer.close(code) } }

    /// Ends all connections without a close frame and refuses new ones until `goOnline`.
    package func goOffline() {
        core.change { $0.isOnline = false }
        core.listenerWaker.wake()
        loseConnections()
        core.state.await { state -> Monitor<SharedServerState>.Step<Void> in
            let isClosed = !state.isListening || state.isStopped || state.isOnline
            return isClosed ? .done(()) : .wait(FakeServerCore.changed, until: nil)
        }
    }

    /// Accepts connections again, at the same port.
    package func goOnline() { core.change { $0.isOnline = true } }

    /// Sets the clock of the server forward or back.
    ///
    /// With `movesStream`, chunks that are not sent keep their place in real time, and get other timestamps.
    package func stepClock(by amount: Duration, movesStream: Bool = true) {
        core.change { state in
            state.clock.step(by: amount)
            if movesStream { state.timeline.shift(by: amount) }
        }
        core.wakeConnections()
    }

    /// Changes the rate of the clock of the server.
    package func setDrift(partsPerMillion: Double) {
        core.change { $0.clock.setDrift(partsPerMillion: partsPerMillion, at: MonotonicClock.now) }
        core.wakeConnections()
    }

    /// Activates connections that wait for the end of `activationDelay`.
    package func activate() { core.perform { $0.peer.endSilence() } }

    /// Starts a new handshake on the open connections.
    package func renewHandshake() { core.perform { $0.peer.renewHandshake() } }

    /// Pairs with a client, using its token, as soon as the client is connected.
    package func pair(_ token: PairingToken) {
        core.change { state in
            state.keys.longTerm[token.client.id] = nil
            state.keys.pairing[token.client.id] = token.key
        }
        core.perform { $0.peer.pair(token) }
    }

    /// Deletes the pairings with the connected clients and sends them `server/unpair`.
    package func unpair() { core.perform { $0.peer.unpair() } }

    /// Sends a message of the protocol, even if the state does not permit this message.
    package func send(_ message: ServerMessage) { core.perform { $0.peer.send(message) } }

    /// Sends a text as a JSON message, which need not be valid.
    package func sendJSON(_ text: String) { core.perform { $0.peer.send(json: Array(text.utf8)) } }

    /// Sends a message with its type byte, in fragments if the message is long.
    package func send(binary message: [UInt8]) { core.perform { $0.peer.send(binary: message) } }

    /// Encrypts and sends bytes that need not be a message.
    package func send(plaintext: [UInt8]) { core.perform { $0.peer.send(plaintext: plaintext) } }

    /// Sends a WebSocket message without encryption.
    package func sendRaw(_ message: WebSocketMessage) { core.perform { $0.sendRaw(message) } }

    /// Sends all attacks on each open connection, and returns the number of attacks.
    @discardableResult
    package func attack(_ attacks: [Attack]) -> Int {
        core.perform { connection in for attack in attacks { connection.send(attack) } }
        return attacks.count
    }

    /// Sends attacks of one kind, which differ between the open connections.
    package func attack(_ kind: AttackGenerator.Kind, count: Int, seed: UInt64) {
        core.perform { connection in
            let report = connection.peer.report
            connection.peer.report.beforeAttack = (
                report.sentCount + connection.peer.outbox.count, report.exchangeCount, report.chunkCount
            )
            var attacks = AttackGenerator(seed: seed &+ UInt64(connection.number))
            for _ in 0..<count { connection.send(attacks.next(kind)) }
        }
    }
}

extension FakeConnection {
    fileprivate func send(_ attack: Attack) {
        switch attack {
        case .json(let text): peer.send(json: text)
        case .plaintext(let bytes): peer.send(plaintext: bytes)
        case .chunk(let time, let payload):
            let chunk = AudioChunk(timestamp: now.server + time, sendAhead: time, payload: payload[...])
            peer.send(binary: chunk.bytes(peer.dialect))
        case .raw(let message): sendRaw(message)
        }
    }
}
