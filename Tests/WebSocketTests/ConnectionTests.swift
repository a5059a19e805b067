import Glibc
import Sockets
import TestSupport
import Testing
import Threads

@testable import WebSocket

@Suite struct ConnectionTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func exchangesMessagesBetweenClientAndListener(host: String) throws {
        let pair = try ConnectedPair(host: host)
        #expect(pair.client.send(.text(Array("{\"type\":\"client/init\"}".utf8))))
        #expect(pair.server.nextMessage() == .text(Array("{\"type\":\"client/init\"}".utf8)))
        #expect(pair.server.send(.binary([0, 1, 255])))
        #expect(pair.client.nextMessage() == .binary([0, 1, 255]))
        #expect(pair.client.peer.hasPrefix(host == "::1" ? "[::1]:" : "127.0.0.1:"))
    }

    @Test func connectsByName() throws {
        let waker = try Waker()
        let listener = try WebSocketListener(at: WebSocketAddress(host: "127.0.0.1", port: 0), waker: waker)
        let worker = Worker.start("accept") { _ = listener.accept(until: .soon) }
        let address = WebSocketAddress(host: "localhost", port: listener.address.port)
        let client = try WebSocket.connect(to: address, waker: Waker())
        worker?.join()
        #expect(client.peer == listener.address.authority)
    }

    @Test func carriesMessagesOfAllSizesInBothDirectionsAtOnce() throws {
        let pair = try ConnectedPair()
        let sizes = [0, 1, 125, 126, 65535, 65536, 300_000, 1 << 20]
        var random = Random(seed: 8927)
        let messages = sizes.map { WebSocketMessage.binary(random.bytes($0)) }
        let server = pair.server
        // The echo fills the buffers of both directions.
        let worker = Worker.start("echo") {
            while case .message(let message, _) = server.wait(until: .soon) { server.send(message) }
        }
        for message in messages { #expect(pair.client.send(message)) }
        for message in messages { #expect(pair.client.nextMessage() == message) }
        pair.client.close()
        worker?.join()
        #expect(server.closure == .byPeer(.normal, reason: ""))
    }

    @Test func closesWithCodeAndReason() throws {
        let pair = try ConnectedPair()
        let server = pair.server
        let worker = Worker.start("close") { _ = server.nextClosure() }
        pair.client.close(.goingAway, reason: "bye")
        worker?.join()
        #expect(pair.client.closure == .byUs(.goingAway, reason: "bye"))
        #expect(pair.server.closure == .byPeer(.goingAway, reason: "bye"))
        #expect(pair.server.wait(until: nil) == .closed(.byPeer(.goingAway, reason: "bye")))
        #expect(!pair.server.send(.binary([])))
    }

    @Test func stampsMessagesWithTheTimeOfTheirRead() throws {
        let pair = try ConnectedPair()
        var last = MonotonicClock.now
        for index in 0..<50 {
            let sentAt = MonotonicClock.now
            #expect(pair.server.send(.binary([UInt8(index)])))
            guard case .message(.binary([UInt8(index)]), let arrivedAt) = pair.client.wait(until: .soon) else {
                Issue.record("no message")
                return
            }
            #expect(arrivedAt >= sentAt && arrivedAt <= MonotonicClock.now && arrivedAt >= last)
            last = arrivedAt
        }
    }

    @Test func messagesOfOneReadHaveTheSameTime() throws {
        let server = try HostileServer()
        server.serveWebSocket { peer in
            peer.send("T:a P B:b")
            _ = peer.receiveAll()
        }
        let client = try WebSocket.connect(to: server.address, waker: Waker())
        guard case .message(_, let first) = client.wait(until: .soon) else {
            Issue.record("no message")
            return
        }
        let between = MonotonicClock.now
        guard case .message(_, let second) = client.wait(until: .soon) else {
            Issue.record("no message")
            return
        }
        #expect(first == second && second < between)
    }

    @Test func messagesThatArriveBeforeTheReadTimeShareARead() throws {
        let pair = try ConnectedPair()
        for index in 0..<3 { pair.server.send(.binary([UInt8(index)])) }
        let time = MonotonicClock.now + .milliseconds(20)
        pair.client.readTime = time
        var times: [Duration] = []
        for _ in 0..<3 {
            guard case .message(_, let arrivedAt) = pair.client.wait(until: .soon) else { break }
            times.append(arrivedAt)
        }
        #expect(times.count == 3 && Set(times).count == 1 && times[0] >= time)
    }

    @Test func theReadTimeDelaysNothingElse() throws {
        let pair = try ConnectedPair()
        pair.client.readTime = .soon + .seconds(60)
        pair.server.send(.binary([1]))
        #expect(pair.client.wait(until: MonotonicClock.now + .milliseconds(5)) == .timeout)
        pair.client.waker.wake()
        #expect(pair.client.wait(until: .soon) == .woken)
        #expect(pair.client.send(.binary([2])))
        #expect(pair.server.nextMessage() == .binary([2]))
        pair.client.readTime = .zero
        #expect(pair.client.nextMessage() == .binary([1]))
    }

    @Test func aLargeReadIsFollowedByAnotherOne() throws {
        let pair = try ConnectedPair()
        pair.server.send(.binary([UInt8](repeating: 1, count: 40_000)))
        pair.client.readTime = MonotonicClock.now + .milliseconds(20)
        #expect(pair.client.nextMessage() != nil)
        pair.client.readTime = .soon + .seconds(60)
        pair.server.send(.binary([2]))
        #expect(pair.client.nextMessage() == .binary([2]))
    }

    @Test func theDeadlineEndsAWait() throws {
        let pair = try ConnectedPair()
        let deadline = MonotonicClock.now + .milliseconds(5)
        #expect(pair.client.wait(until: deadline) == .timeout)
        #expect(MonotonicClock.now >= deadline)
        #expect(pair.client.wait(until: .zero) == .timeout)
        pair.server.send(.text([]))
        #expect(pair.client.nextMessage() == .text([]))
    }

    @Test func aWaitWhoseDeadlineHasPassedReadsWhatHasArrived() throws {
        let pair = try ConnectedPair()
        pair.server.send(.binary([1]))
        let end = Duration.soon
        var event = WebSocketEvent.timeout
        while event == .timeout, MonotonicClock.now < end { event = pair.client.wait(until: .zero) }
        #expect(event != .timeout)
    }

    @Test func wakesFromAnotherThread() throws {
        let pair = try ConnectedPair()
        let waker = pair.client.waker
        let worker = Worker.start("waker") { waker.wake() }
        #expect(pair.client.wait(until: nil) == .woken)
        worker?.join()
        #expect(pair.client.wait(until: .zero) == .timeout)
        waker.wake()
        waker.wake()
        #expect(pair.client.wait(until: nil) == .woken)
        #expect(pair.client.wait(until: .zero) == .timeout)
    }

    @Test func cancelEndsAllWaitsButNotTheCloseHandshake() throws {
        let pair = try ConnectedPair()
        let waker = pair.client.waker
        let worker = Worker.start("waker") { waker.cancel() }
        #expect(pair.client.wait(until: nil) == .cancelled)
        worker?.join()
        #expect(pair.client.wait(until: nil) == .cancelled)
        let server = pair.server
        let closer = Worker.start("close") { _ = server.nextClosure() }
        pair.client.close(.goingAway)
        closer?.join()
        #expect(server.closure == .byPeer(.goingAway, reason: ""))
    }

    @Test func sendingToAClosedPeerRaisesNoSignal() throws {
        let pair = try ConnectedPair()
        pair.server.close()
        let action = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, action) }
        // The first bytes cause a reset of the connection, after which further bytes could cause SIGPIPE.
        for _ in 0..<100 { pair.client.send(.binary([1])) }
        #expect(pair.client.nextClosure() != nil)
    }
}
