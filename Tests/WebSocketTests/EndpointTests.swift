import Testing

@testable import WebSocket

@Suite struct EndpointTests {
    private static let text = WebSocketMessage.text(Array("a".utf8))

    @Test(arguments: [WebSocketRole.client, .server])
    func exchangesMessagesAndAnswersPings(role: WebSocketRole) {
        let drawn = DrawnEndpoint(role)
        #expect(drawn.receive("T-:a P:p1 C:b B:c") == [.text(Array("ab".utf8)), .binary(Array("c".utf8))])
        #expect(drawn.flush() == "O:p1")
        #expect(drawn.send(Self.text, at: .zero))
        #expect(drawn.flush() == "T:a")
        #expect(drawn.endpoint.isOpen)
    }

    @Test func masksEachFrameOfAClientWithItsOwnKey() {
        let keys = Keys()
        var endpoint = WebSocketEndpoint(role: .client, limits: WebSocketLimits(), at: .zero) { keys.next() }
        let areSent = endpoint.send(.binary([0, 0, 0, 0, 0]), at: .zero) && endpoint.send(.binary([]), at: .zero)
        #expect(Array(endpoint.unsent) == [0x82, 0x85, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0x82, 0x80, 0, 0, 0, 2])
        var server = WebSocketEndpoint(role: .server, limits: WebSocketLimits(), at: .zero) { keys.next() }
        let isSent = server.send(.binary([7]), at: .zero)
        #expect(areSent && isSent)
        #expect(Array(server.unsent) == [0x82, 0x01, 7])
    }

    @Test func answersOnlyTheLastOfManyPingsWhileThePeerDoesNotRead() {
        let drawn = DrawnEndpoint(.client)
        #expect(drawn.send(Self.text, at: .zero))
        let unsent = drawn.endpoint.unsent.count
        for index in 0..<1000 { #expect(drawn.receive("P:\(index)").isEmpty) }
        #expect(drawn.endpoint.unsent.count == unsent)
        #expect(drawn.flush() == "T:a O:999")
    }

    @Test func clientClosesWithHandshakeAndAwaitsTheEndOfTheServer() {
        let drawn = DrawnEndpoint(.client)
        drawn.endpoint.close(.goingAway, reason: "bye", at: .zero)
        #expect(!drawn.send(Self.text, at: .zero))
        #expect(drawn.flush() == "X:1001bye")
        #expect(drawn.receive("T:late X:1001") == [])
        #expect(drawn.endpoint.closure == nil && drawn.endpoint.shallEndSending)
        drawn.endpoint.peerEnded()
        #expect(drawn.endpoint.closure == .byUs(.goingAway, reason: "bye"))
    }

    @Test func serverEndsAsSoonAsBothCloseFramesAreExchanged() {
        let drawn = DrawnEndpoint(.server)
        #expect(drawn.receive("X:4000bye T:late") == [])
        #expect(drawn.endpoint.closure == nil)
        #expect(drawn.flush() == "X:4000")
        #expect(drawn.endpoint.closure == .byPeer(CloseCode(rawValue: 4000), reason: "bye"))
    }

    @Test func closesWithoutAnAnswerAfterTheTimeLimit() {
        let drawn = DrawnEndpoint(.client)
        drawn.endpoint.close(.normal, reason: "", at: .seconds(3))
        #expect(drawn.flush() == "X:1000")
        #expect(drawn.endpoint.deadline == .seconds(4))
        drawn.advance(to: 3.9)
        #expect(drawn.endpoint.closure == nil)
        drawn.advance(to: 4)
        #expect(drawn.endpoint.closure == .byUs(.normal, reason: ""))
    }

    @Test(arguments: [WebSocketRole.client, .server])
    func tellsAFaultyPeerWhy(role: WebSocketRole) {
        let drawn = DrawnEndpoint(role)
        #expect(drawn.receive("T:a C:b T:c") == [Self.text])
        #expect(drawn.flush() == "X:1002a fragment continues no message")
        #expect(!drawn.endpoint.isOpen && drawn.endpoint.closure == nil && drawn.endpoint.shallEndSending)
        drawn.advance(to: 1)
        #expect(drawn.endpoint.closure == .violation(.protocolError, reason: "a fragment continues no message"))
    }

    @Test func sendsNothingBehindACloseFrame() {
        let drawn = DrawnEndpoint(.client)
        drawn.endpoint.close(.normal, reason: "", at: .zero)
        #expect(drawn.flush() == "X:1000")
        #expect(drawn.receive("P:x C:b") == [])
        #expect(drawn.endpoint.unsent.isEmpty)
        drawn.advance(to: 1)
        #expect(drawn.endpoint.closure == .violation(.protocolError, reason: "a fragment continues no message"))
    }

    @Test func reportsTheEndOfAPeerWithoutCloseFrame() {
        let (ended, failed) = (DrawnEndpoint(.client), DrawnEndpoint(.client))
        ended.endpoint.peerEnded()
        #expect(ended.endpoint.closure == .withoutGoodbye)
        failed.endpoint.fail("Connection reset by peer")
        #expect(failed.endpoint.closure == .lost(reason: "Connection reset by peer"))
        failed.endpoint.close(.normal, reason: "", at: .zero)
        failed.advance(to: 100)
        #expect(failed.endpoint.closure == .lost(reason: "Connection reset by peer"))
    }

    @Test func endsWhenTheQueueOfUnsentBytesIsFull() {
        let drawn = DrawnEndpoint(.client) { $0.unsentBytes = 1000 }
        let message = WebSocketMessage.binary([UInt8](repeating: 0, count: 240))
        for _ in 0..<4 { #expect(drawn.send(message, at: .zero)) }
        #expect(!drawn.send(message, at: .zero))
        #expect(drawn.endpoint.closure == .overrun(limit: 1000))
        #expect(drawn.endpoint.unsent.isEmpty)
    }

    private final class Keys: @unchecked Sendable {  // Only one test uses an instance.
        private var last: UInt32 = 0
        func next() -> UInt32 {
            last += 1
            return last
        }
    }
}
