import Sockets
import TestSupport
import Threads
import WebSocket

/// A client and the connection that a listener in the same process accepted from this client.
struct ConnectedPair {
    let client: WebSocket
    let server: WebSocket

    init(
        host: String = "127.0.0.1", clientLimits: WebSocketLimits = WebSocketLimits(),
        serverLimits: WebSocketLimits = WebSocketLimits()
    ) throws {
        let waker = try Waker()
        let listener = try WebSocketListener(
            at: WebSocketAddress(host: host, port: 0, path: "/sendspin"), connectionLimits: serverLimits, waker: waker)
        let accepted = Monitor(WebSocket?.none, conditions: 0)
        let worker = Worker.start("accept") {
            guard case .connection(let server) = listener.accept(until: .soon) else { return }
            accepted.change { $0 = server }
        }
        client = try WebSocket.connect(to: listener.address, limits: clientLimits, waker: Waker())
        worker?.join()
        guard let server = accepted.change({ $0 }) else { throw WebSocketError.cancelled }
        self.server = server
    }
}

extension Duration {
    /// A deadline for the waits of a test, which is late enough for a busy machine.
    static var soon: Duration { MonotonicClock.now + patience }
}

extension WebSocket {
    /// The next message; nil if no message arrives.
    func nextMessage() -> WebSocketMessage? {
        if case .message(let message, _) = wait(until: .soon) { message } else { nil }
    }

    /// The closure of the connection; nil if the connection does not end.
    func nextClosure() -> WebSocketClosure? {
        while true {
            switch wait(until: .soon) {
            case .message: continue
            case .closed(let closure): return closure
            default: return nil
            }
        }
    }
}
