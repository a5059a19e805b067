import Testing

@testable import WebSocket

/// Tests a connection that sends a ping after 10 s of silence, and ends after 5 s more or 8 s without accepted bytes.
@Suite struct LivenessTests {
    @Test func pingsASilentPeerAndEndsWithoutAnswer() {
        let drawn = DrawnEndpoint(.client)
        #expect(drawn.endpoint.deadline == .seconds(10))
        drawn.advance(to: 9.9)
        #expect(drawn.flush(at: 9.9) == "")
        drawn.advance(to: 10)
        #expect(drawn.flush(at: 10) == "P:")
        #expect(drawn.endpoint.deadline == .seconds(15))
        drawn.advance(to: 14.9)
        #expect(drawn.endpoint.isOpen)
        drawn.advance(to: 15)
        #expect(drawn.endpoint.closure == .silent(for: .seconds(15)))
        #expect(drawn.endpoint.closure?.description.hasPrefix("the peer sent nothing for 15 s, ") == true)
    }

    @Test(arguments: ["O", "T:a", "P:x", "B-:part"])
    func anyFrameOfThePeerCountsAsLife(frame: String) {
        let drawn = DrawnEndpoint(.client)
        drawn.advance(to: 10)
        _ = drawn.flush(at: 10)
        _ = drawn.receive(frame, at: 14)
        _ = drawn.flush(at: 14)
        drawn.advance(to: 23.9)
        #expect(drawn.endpoint.isOpen && drawn.flush(at: 23.9) == "")
        drawn.advance(to: 24)
        #expect(drawn.flush(at: 24) == "P:")
    }

    @Test func aPausedThreadDoesNotEndAConnectionWithoutAPing() {
        let drawn = DrawnEndpoint(.client)
        drawn.advance(to: 1000)
        #expect(drawn.endpoint.isOpen && drawn.flush(at: 1000) == "P:")
        drawn.advance(to: 1004.9)
        #expect(drawn.endpoint.isOpen)
    }

    @Test func endsWhenThePeerAcceptsNoBytes() {
        let drawn = DrawnEndpoint(.client)
        #expect(drawn.send(.binary([1, 2, 3]), at: .seconds(1)))
        drawn.endpoint.didSend(4, at: .seconds(3))
        #expect(drawn.endpoint.deadline == .seconds(10))
        // Only the time since the peer last accepted bytes counts, and bytes that are queued later do not change it.
        #expect(drawn.send(.binary([1, 2, 3]), at: .seconds(9)))
        drawn.endpoint.bytesArrived(at: .seconds(10))
        #expect(drawn.endpoint.deadline == .seconds(11))
        drawn.advance(to: 11)
        #expect(drawn.endpoint.closure == .stalled(for: .seconds(8), bytes: 14))
    }

    @Test func aSlowPeerThatReadsIsNotStalled() {
        let drawn = DrawnEndpoint(.client)
        #expect(drawn.send(.binary([UInt8](repeating: 0, count: 60)), at: .zero))
        for second in stride(from: 5.0, to: 60, by: 5) {
            drawn.endpoint.bytesArrived(at: .seconds(second))
            drawn.endpoint.didSend(1, at: .seconds(second))
            drawn.advance(to: second)
        }
        #expect(drawn.endpoint.isOpen)
    }
}
