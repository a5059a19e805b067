import Glibc
import Sockets
import Testing
import Threads

@testable import WebSocket

@Suite struct HostileServerTests {
    private static func limits(_ change: (inout WebSocketLimits) -> Void) -> WebSocketLimits {
        var limits = WebSocketLimits()
        limits.closeTime = .seconds(20)
        change(&limits)
        return limits
    }

    @Test func refusesAViolationAndTellsTheServerWhy() throws {
        let server = try HostileServer()
        let received = Monitor([String](), conditions: 0)
        server.serveWebSocket { peer in
            peer.send("T:a C:b T:c")
            let all = peer.receiveAll()
            received.change { $0 = all }
        }
        let client = try WebSocket.connect(to: server.address, limits: Self.limits { _ in }, waker: Waker())
        #expect(client.nextMessage() == .text(Array("a".utf8)))
        let closure = WebSocketClosure.violation(.protocolError, reason: "a fragment continues no message")
        #expect(client.nextClosure() == closure)
        #expect("\(closure)" == "the peer violated the WebSocket protocol: a fragment continues no message")
        _ = consume server
        #expect(received.change { $0 } == ["X:1002a fragment continues no message"])
    }

    @Test func readsMessagesThatArriveTogetherWithTheAnswer() throws {
        let server = try HostileServer()
        server.serve { peer in
            guard let request = peer.receive() else { return }
            var input = request[...]
            var reader = HTTPHeadReader()
            guard let head = try? reader.next(&input), let upgrade = try? UpgradeRequest(head) else { return }
            peer.send(UpgradeResponse.acceptance(upgrade.key.accept) + DrawnFrames.bytes("T:early B-:la"))
            peer.send("C:te")
            _ = peer.receiveAll()
        }
        let client = try WebSocket.connect(to: server.address, waker: Waker())
        #expect(client.nextMessage() == .text(Array("early".utf8)))
        #expect(client.nextMessage() == .binary(Array("late".utf8)))
        client.close()
    }

    @Test func refusesAMessageThatIsTooLarge() throws {
        let server = try HostileServer()
        server.serveWebSocket { peer in
            peer.send("B-:12345 C:678901")
            _ = peer.receiveAll()
        }
        let client = try WebSocket.connect(
            to: server.address, limits: Self.limits { $0.messageBytes = 10 }, waker: Waker())
        #expect(client.nextClosure() == .violation(.tooLarge, reason: "a message has more than 10 bytes"))
    }

    /// Each byte of a message arrives in a separate frame.
    @Test func joinsFragmentsOfOneByte() throws {
        let server = try HostileServer()
        let text = (0..<200_000).map { UInt8($0 % 26) + 97 }
        server.serveWebSocket { peer in
            peer.send(text.enumerated().flatMap { [$0.offset == 0 ? 0x01 : 0x00, 1, $0.element] } + [0x80, 0])
            peer.send("T:end")
            _ = peer.receiveAll()
        }
        let client = try WebSocket.connect(to: server.address, waker: Waker())
        #expect(client.nextMessage() == .text(text))
        #expect(client.nextMessage() == .text(Array("end".utf8)))
        client.close()
    }

    @Test func endlessFragmentsOfOneByteEndTheConnection() throws {
        let server = try HostileServer()
        let received = Monitor([String](), conditions: 0)
        server.serveWebSocket { peer in
            let fragments = Array(repeating: [0x00, 0x01, 0x61] as [UInt8], count: 1_000).flatMap { $0 }
            peer.send([0x02, 0x00])
            while peer.send(fragments) {
                // The client closes its direction before it has read all bytes.
                if peer.hasClosing() { break }
            }
            let all = peer.receiveAll()
            received.change { $0 = all }
        }
        do {
            let client = try WebSocket.connect(
                to: server.address, limits: Self.limits { $0.messageBytes = 300_000 }, waker: Waker())
            #expect(client.nextClosure() == .violation(.tooLarge, reason: "a message has more than 300000 bytes"))
        }
        _ = consume server
        #expect(received.change { $0 } == ["X:1009a message has more than 300000 bytes"])
    }

    /// Fragments without data never exceed the size limit of a message, but must not block the thread forever.
    @Test func endlessFragmentsWithoutDataDoNotOutlastTheDeadline() throws {
        let server = try HostileServer()
        server.serveWebSocket { peer in
            peer.send([0x02, 0x00])
            let fragments = Array(repeating: [0x00, 0x00] as [UInt8], count: 1_000).flatMap { $0 }
            while peer.send(fragments) {}
        }
        do {
            let client = try WebSocket.connect(to: server.address, waker: Waker())
            for _ in 0..<3 { #expect(client.wait(until: MonotonicClock.now + .milliseconds(20)) == .timeout) }
        }
        withExtendedLifetime(server) {}
    }

    @Test func anEndlessStreamOfPingsDoesNotOutlastTheDeadline() throws {
        let server = try HostileServer()
        server.serveWebSocket { peer in
            let pings = Array(repeating: [0x89, 0x00] as [UInt8], count: 1000).flatMap { $0 }
            while peer.send(pings) {}
        }
        do {
            let client = try WebSocket.connect(to: server.address, waker: Waker())
            for _ in 0..<3 { #expect(client.wait(until: MonotonicClock.now + .milliseconds(20)) == .timeout) }
            #expect(client.unsentBytes <= 2 * 6)
        }
        // The deinitializer of the server waits for its thread, which ends after the client.
        withExtendedLifetime(server) {}
    }

    @Test func endsWhenTheServerIsSilent() throws {
        let server = try HostileServer()
        let isOver = try Waker()
        server.serveWebSocket { _ in
            var descriptors = [pollfd.input(isOver.descriptor)]
            Readiness.wait(for: &descriptors, until: .soon)
        }
        let limits = Self.limits {
            $0.idleTime = .milliseconds(20)
            $0.pongTime = .milliseconds(20)
        }
        let client = try WebSocket.connect(to: server.address, limits: limits, waker: Waker())
        guard case .silent(let time) = client.nextClosure() else {
            Issue.record("not silent")
            return
        }
        #expect(time >= .milliseconds(40))
        isOver.wake()
    }

    @Test func endsWhenTheServerDoesNotRead() throws {
        let server = try HostileServer()
        let isOver = try Waker()
        server.serveWebSocket { _ in
            var descriptors = [pollfd.input(isOver.descriptor)]
            Readiness.wait(for: &descriptors, until: .soon)
        }
        let limits = Self.limits {
            $0.stallTime = .milliseconds(50)
            $0.unsentBytes = 64 << 20
        }
        let client = try WebSocket.connect(to: server.address, limits: limits, waker: Waker())
        let block = WebSocketMessage.binary([UInt8](repeating: 0, count: 1 << 20))
        while client.unsentBytes == 0, client.send(block) {}
        guard case .stalled(_, let bytes) = client.nextClosure() else {
            Issue.record("not stalled")
            return
        }
        #expect(bytes > 0)
        #expect(client.unsentBytes == 0)
        isOver.wake()
    }

    @Test func sendingIsBoundedInTimeAndMemory() throws {
        let server = try HostileServer()
        let isOver = try Waker()
        server.serveWebSocket { _ in
            var descriptors = [pollfd.input(isOver.descriptor)]
            Readiness.wait(for: &descriptors, until: .soon)
        }
        let limits = Self.limits { $0.unsentBytes = 1 << 20 }
        let client = try WebSocket.connect(to: server.address, limits: limits, waker: Waker())
        let block = WebSocketMessage.binary([UInt8](repeating: 0, count: 1 << 16))
        var count = 0
        while client.send(block), count < 10_000 {
            count += 1
            #expect(client.unsentBytes <= 1 << 20)
        }
        #expect(client.closure == .overrun(limit: 1 << 20))
        isOver.wake()
    }

    @Test func reportsAServerThatEnds() throws {
        let server = try HostileServer()
        server.serveWebSocket { peer in peer.send("T:a X:1001restart") }
        let client = try WebSocket.connect(to: server.address, waker: Waker())
        #expect(client.nextClosure() == .byPeer(.goingAway, reason: "restart"))
        server.serveWebSocket { peer in peer.send("T:a") }
        let second = try WebSocket.connect(to: server.address, waker: Waker())
        #expect(second.nextClosure() == .withoutGoodbye)
    }
}
