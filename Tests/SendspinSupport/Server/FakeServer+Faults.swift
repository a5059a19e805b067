import Durations
import SendspinNoise
import SendspinWire
import Threads
import WebSocketFraming

extension FakeServer {
    /// Simulates a network from now on.
    public func setNetwork(_ network: NetworkConditions, seed: UInt64 = 1) {
        core.change {
            $0.network = network
            $0.seed = seed
        }
    }

    /// Changes how the server treats clients that connect later.
    public func changeSettings(_ change: (inout PeerSettings) -> Void) { core.change { change(&$0.settings) } }

    /// Stops all messages in both directions for a time; the connection stays open.
    public func stall(for time: Duration) {
        let end = MonotonicClock.now + time
        core.perform { $0.stall(until: end) }
    }

    /// Ends all connections without a close frame, as a crash of the server does.
    public func loseConnections() { core.perform { $0.isLost = true } }

    /// Ends all connections with a close frame.
    public func closeConnections(_ code: CloseCode = .goingAway) { core.perform { $0.peer.close(code) } }

    /// Ends all connections without a close frame and refuses new ones until `goOnline`.
    public func goOffline() {
        core.change { $0.isOnline = false }
        core.listenerWaker.wake()
        loseConnections()
    }

    /// Accepts connections again, at the same port.
    public func goOnline() { core.change { $0.isOnline = true } }

    /// Sets the clock of the server forward or back.
    ///
    /// With `movesStream`, chunks that are not sent keep their place in real time, and get other timestamps.
    public func stepClock(by amount: Duration, movesStream: Bool = true) {
        core.change { state in
            state.clock.step(by: amount)
            if movesStream { state.timeline.shift(by: amount) }
        }
        core.wakeConnections()
    }

    /// Changes the rate of the clock of the server.
    public func setDrift(partsPerMillion: Double) {
        core.change { $0.clock.setDrift(partsPerMillion: partsPerMillion, at: MonotonicClock.now) }
        core.wakeConnections()
    }

    /// Activates connections that wait for the end of `activationDelay`.
    public func activate() { core.perform { $0.peer.endSilence() } }

    /// Starts a new handshake on the open connections.
    public func renewHandshake() { core.perform { $0.peer.renewHandshake() } }

    /// Pairs with a client by its token: now if it is connected, and otherwise when it connects.
    public func pair(_ token: PairingToken) {
        core.change { state in
            state.keys.longTerm[token.client.id] = nil
            state.keys.pairing[token.client.id] = token.key
        }
        core.perform { $0.peer.pair(token) }
    }

    /// Deletes the pairings with the connected clients and tells them so.
    public func unpair() { core.perform { $0.peer.unpair() } }

    /// Sends a message of the protocol, whether or not it fits the state.
    public func send(_ message: ServerMessage) { core.perform { $0.peer.send(message) } }

    /// Sends a text as a JSON message, which need not be valid.
    public func sendJSON(_ text: String) { core.perform { $0.peer.send(json: Array(text.utf8)) } }

    /// Sends a message with its type byte, in fragments if it is long.
    public func send(binary message: [UInt8]) { core.perform { $0.peer.send(binary: message) } }

    /// Encrypts and sends bytes that need not be a message.
    public func send(plaintext: [UInt8]) { core.perform { $0.peer.send(plaintext: plaintext) } }

    /// Sends a WebSocket message without encryption.
    public func sendRaw(_ message: WebSocketMessage) { core.perform { $0.sendRaw(message) } }

    /// Sends all attacks on each open connection; returns how many there are.
    @discardableResult
    public func attack(_ attacks: [Attack]) -> Int {
        core.perform { connection in for attack in attacks { connection.send(attack) } }
        return attacks.count
    }

    /// Sends attacks of a kind, others on each open connection.
    public func attack(_ kind: AttackGenerator.Kind, count: Int, seed: UInt64) {
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
