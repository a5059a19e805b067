import Sockets
import TestSupport
import Threads
import WebSocket

/// A client and the connection that a listener accepted from it, in one process.
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
    /// A time by which everything that a test awaits has happened, even on a busy machine.
    static var soon: Duration { MonotonicClock.now + patience }
}

extension WebSocket {
    /// The next message; nil if the wait ends otherwise.
    func nextMessage() -> WebSocketMessage? {
        if case .message(let message, _) = wait(until: .soon) { message } else { nil }
    }

    /// How the connection ends; nil if a wait ends otherwise.
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
