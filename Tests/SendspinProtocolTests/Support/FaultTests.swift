import SendspinSupport
import SendspinProtocol
import Testing
import Threads
import WebSocket

@Suite struct FaultTests {
    @Test func jitterDelaysMessagesInOrder() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        server.setNetwork(
            NetworkConditions(downlink: .milliseconds(20), uplink: .milliseconds(10), jitter: .milliseconds(40)))
        let start = MonotonicClock.now
        try client.synchronize(5)
        #expect(MonotonicClock.now - start >= .milliseconds(150))
        server.play(.pcm(length: 24_000), lead: .milliseconds(300))
        #expect(client.receive { $0.chunks.count == 20 })
        #expect(client.chunks.map(\.timestamp) == client.chunks.map(\.timestamp).sorted())
        #expect(server.violations == [])
    }

    @Test func stallHoldsAllMessages() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        let start = MonotonicClock.now
        server.stall(for: .milliseconds(400))
        // One exchange may complete before the stall begins.
        try client.synchronize(3)
        #expect(MonotonicClock.now - start >= .milliseconds(390))
        #expect(client.closure == nil)
    }

    @Test func lostConnectionHasNoGoodbye() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        server.loseConnections()
        #expect(client.receive { $0.closure != nil })
        // If the client has sent more data meanwhile, the kernel resets the connection instead.
        let isLost =
            switch client.closure {
            case .withoutGoodbye, .lost: true
            default: false
            }
        #expect(isLost, "\(String(describing: client.closure))")
        let again = try FakeClient(server)
        try again.join()
        server.closeConnections()
        #expect(again.receive { $0.closure != nil })
        #expect(again.closure == .byPeer(.goingAway, reason: ""))
        #expect(server.wait { $0.allSatisfy { $0.closure != nil } })
    }

    @Test func offlineServerRefusesConnectionsAndReturns() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        server.goOffline()
        #expect(client.receive { $0.closure != nil })
        var isRefused = false
        // The listener closes on its own thread.
        for _ in 0..<1_000 where !isRefused { isRefused = (try? FakeClient(server).open()) == nil }
        #expect(isRefused)
        server.goOnline()
        var again: FakeClient?
        for _ in 0..<1_000 where again == nil {
            again = try? FakeClient(server)
            if (try? again?.join()) == nil { again = nil }
        }
        #expect(again != nil)
    }

    @Test func attacksArriveAndAreReproducible() throws {
        var (one, other) = (AttackGenerator(seed: 5), AttackGenerator(seed: 5))
        for kind in AttackGenerator.Kind.allCases {
            let attacks = (0..<200).map { _ in one.next(kind) }
            #expect(attacks == (0..<200).map { _ in other.next(kind) })
            #expect(Set(attacks.map(\.bytes)).count > 10, "\(kind)")
        }
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        client.items = []
        let count = server.attack((0..<300).map { _ in one.next(.wrongValues) } + [.plaintext([200, 1])])
        #expect(count == 301)
        #expect(
            client.receive { client in
                client.items.contains { if case .other([200, 1]) = $0 { true } else { false } }
            })
        #expect(client.items.count == 301)
        server.sendRaw(.text(Array("{}".utf8)))
        server.sendJSON("{}")
        #expect(client.receive { $0.items.count == 302 })
    }
}

@Suite struct HandshakeFaultTests {
    /// Faults that this client detects, which does not check the version and the category.
    static let visible = HandshakeFault.allCases.filter { $0 != .wrongVersion && $0 != .unknownCategory }

    @Test(arguments: visible)
    func faultyServerNeverActivates(_ fault: HandshakeFault) throws {
        var settings = PeerSettings()
        settings.handshakeFault = fault
        let server = try FakeServer(settings)
        let client = try FakeClient(server)
        #expect(throws: Incomplete.self) { try client.open(timeout: .milliseconds(300)) }
        server.changeSettings { $0.handshakeFault = nil }
        try FakeClient(server).join()
        #expect(server.wait { $0.last?.isActive == true && $0.first?.isActive == false })
    }

    @Test func slowReaderGetsAllMessages() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        // The attack is much larger than the capacity of the socket and its queue.
        let attacks = AttackGenerator.endlessFragments(200, type: 24)
        server.attack(attacks + [.plaintext([1, 1])])
        #expect(server.wait { $0[0].exchangeCount == 3 })
        #expect(
            client.receive { $0.items.contains { if case .other(let bytes) = $0 { bytes.first == 24 } else { false } } }
        )
        #expect(client.closure == nil)
    }
}
