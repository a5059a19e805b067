import SendspinSecurity
import SendspinSupport
import Sockets
@testable import SendspinProtocol
import Testing
import Threads
import WebSocket

@Suite struct ProtocolTests {
    @Test func serverDialsAClientThatListens() throws {
        let waker = try Waker()
        let address = WebSocketAddress(host: "127.0.0.1", port: 0, path: "/sendspin")
        let listener = try WebSocketListener(at: address, waker: waker)
        let server = try FakeServer(port: nil)
        server.dial(listener.address)
        guard case .connection(let socket) = listener.accept(until: MonotonicClock.now + .seconds(10)) else {
            Issue.record("no connection")
            return
        }
        let client = FakeClient(accepted: socket)
        try client.join()
        server.play(.pcm(), lead: .milliseconds(100))
        #expect(client.receive { !$0.chunks.isEmpty })
        #expect(server.violations == [])
        listener.close()
        server.dial(listener.address)
        #expect(server.wait { _ in !server.failures.isEmpty || server.reports.count > 1 })
        #expect(server.reports.count == 1)
    }

    @Test func timesFollowTheClockOfTheServer() throws {
        let server = try FakeServer(clock: ServerClock(offset: .seconds(77)))
        let client = try FakeClient(server)
        try client.open()
        try client.synchronize()
        server.stepClock(by: .seconds(-3))
        try client.synchronize()
        let offsets = client.messages.compactMap { message -> Double? in
            guard case .time(let sent, let received, let transmitted) = message else { return nil }
            #expect(received <= transmitted)
            return (received - sent) / .seconds(1)
        }
        #expect(offsets.prefix(3).allSatisfy { (77..<78).contains($0) })
        #expect(offsets.suffix(3).allSatisfy { (74..<75).contains($0) })
    }

    @Test func pairingByTokenEndsWithALongTermKey() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        let pairingKey = PreSharedKey.generate()
        client.keys = [pairingKey]
        try client.join(.player(roles: [.player, .metadata]))
        #expect(server.report.keyCategory == "sn")
        server.pair(PairingToken(client: client.identity.publicKey, key: pairingKey))
        #expect(client.receive { $0.messages.contains { isPairing($0) } })
        #expect(client.category == "pr")
        let key = PreSharedKey.generate()
        client.send(.pairingStart(index: 1))
        client.keys.append(key)
        client.send(.pairingKey(key.revealedText()))
        #expect(client.receive { $0.category == "lt" && $0.messages.last?.type == "group/update" })
        #expect(server.keys.longTerm[client.identity.publicKey.id] == key)
        #expect(server.report.handshakeCount == 3)

        // The next connection uses the new key at once.
        let again = try FakeClient(server, identity: client.identity)
        again.keys = [key]
        try again.join()
        #expect(again.category == "lt")
        server.unpair()
        #expect(again.receive { $0.messages.last?.type == "server/unpair" })
        again.send(.goodbye(.unpaired))
        #expect(server.wait { $0[1].goodbye == .unpaired })
        #expect(server.keys.longTerm.isEmpty)
        #expect(server.violations == [])

        func isPairing(_ message: ServerMessage) -> Bool {
            guard case .activation(let activation) = message else { return false }
            return activation.activities == [.pairing] && activation.pairingMethod == "pairing_psk"
        }
    }

    @Test func clientWithoutTheKeyFallsBackToTheSentinel() throws {
        let identity = KeyPair.generate()
        var keys = ServerKeys()
        keys.longTerm[identity.publicKey.id] = .generate()
        let server = try FakeServer(keys: keys)
        let client = try FakeClient(server, identity: identity)
        try client.join()
        #expect(client.category == "lt")
        #expect(server.report.keyCategory == "sn")
        #expect(server.report.isCredentialMissing)
    }

    @Test func newHandshakeKeepsTheStream() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        server.play(.pcm(), lead: .milliseconds(300))
        #expect(client.receive { $0.chunks.count == 5 })
        let old = client.transport
        // The play times of several chunks come near while the server waits for the answer.
        server.setNetwork(NetworkConditions(uplink: .milliseconds(200)))
        server.renewHandshake()
        #expect(client.receive { $0.transport !== old && $0.chunks.count > 100 })
        let handshake = try #require(client.items.lastIndex { isMessage($0, "noise/handshake") })
        // The activation is the first message after the handshake, and the audio continues.
        #expect(isMessage(client.items[handshake + 1], "server/activate"))
        let pcm = client.chunks.flatMap(\.payload)
        #expect(RampSignal.indices(pcm: pcm, bitDepth: 16) == (0..<Int64(pcm.count / 4)).map { $0 })
        #expect(server.violations == [])

        func isMessage(_ item: FakeClient.Item, _ type: String) -> Bool {
            if case .message(let message) = item { message.type == type } else { false }
        }
    }

    @Test func descriptionsCommandsAndArtworkArrive() throws {
        let server = try FakeServer()
        let metadata = Metadata(timestamp: .seconds(1), title: "title", artist: "artist", album: "album")
        server.show(metadata)
        let client = try FakeClient(server)
        try client.join(.player(roles: [.player, .metadata, .controller, .artwork]))
        client.send(.command(.pause))
        #expect(server.wait { !$0[0].violations.isEmpty })
        let controller = ControllerState(commands: [.play, .pause], volume: 20, isMuted: true)
        server.offer(controller)
        #expect(client.receive { $0.messages.contains(.state(ServerState(controller: controller))) })
        #expect(client.messages.contains(.state(ServerState(metadata: metadata))))
        client.send(.command(.play))
        let image = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        server.showArtwork(image, channel: 2, at: .seconds(3))
        var received: [UInt8] = []
        #expect(
            client.receive { client in
                received = client.items.flatMap { item -> [UInt8] in
                    if case .artwork(.part(2, let data)) = item { Array(data) } else { [] }
                }
                return received.count == image.count
            })
        #expect(received == image)
        #expect(client.outline.suffix(2) == ["stream/start", "artwork"])
        #expect(server.wait { $0[0].commands == [.pause, .play] })
        #expect(server.violations == ["the command pause is not offered"])
    }

    @Test func commandWithoutConfirmationIsAViolation() throws {
        var settings = PeerSettings()
        settings.echoTime = .milliseconds(200)
        let server = try FakeServer(settings)
        let client = try FakeClient(server)
        try client.join()
        server.command(.volume(7))
        #expect(client.receive { $0.messages.contains(.command(.volume(7))) })
        client.send(.state(.ready))
        #expect(server.wait { $0[0].counts["client/state"] == 2 })
        server.command(.mute(true))
        #expect(server.wait { !$0[0].violations.isEmpty })
        #expect(server.violations == ["the client did not confirm a command with client/state in time"])
    }
}
