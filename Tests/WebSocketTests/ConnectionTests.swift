import Testing
import Threads
import WebSocketConnection
import WebSocketFraming

@Suite struct ConnectionTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func exchangesMessagesBetweenClientAndListener(host: String) throws {
        let pair = try ConnectedPair(host: host)
        #expect(pair.client.send(.text(Array("{\"type\":\"client/init\"}".utf8))))
        #expect(pair.server.nextMessage() == .text(Array("{\"type\":\"client/init\"}".utf8)))
        #expect(pair.server.send(.binary([0, 1, 255])))
        #expect(pair.client.nextMessage() == .binary([0, 1, 255]))
    }

    @Test func closesWithCodeAndReason() throws {
        let pair = try ConnectedPair()
        let server = pair.server
        let worker = Worker.start("close") { _ = server.nextClosure() }
        pair.client.close(.goingAway, reason: "bye")
        worker?.join()
        #expect(pair.client.closure == .byUs(.goingAway, reason: "bye"))
        #expect(pair.server.closure == .byPeer(.goingAway, reason: "bye"))
    }
}
