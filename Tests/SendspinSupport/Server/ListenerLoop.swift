import Threads
import WebSocket

/// Accepts connections on a thread of a fake server, except while the server is offline.
struct ListenerLoop {
    let core: FakeServerCore
    var listener: WebSocketListener?

    init(core: FakeServerCore, listener: WebSocketListener) {
        self.core = core
        self.listener = listener
    }

    func run() {
        var listener = listener
        while true {
            let (isOnline, isStopped, address) = core.state.change { ($0.isOnline, $0.isStopped, $0.address) }
            if isStopped { return }
            if !isOnline {
                listener?.close()
                listener = nil
                core.change { $0.isListening = false }
                waitUntilOnline()
                continue
            }
            if listener == nil {
                listener = open(address)
                core.change { [isOpen = listener != nil] in $0.isListening = isOpen }
            }
            switch listener?.accept(until: MonotonicClock.now + .seconds(1)) {
            case .connection(let socket): core.start(socket)
            case .cancelled: return
            case .timeout, .woken, nil: break
            }
        }
    }

    /// A listener whose connections wait only 200 ms for a close frame, because a test may have stopped its client.
    static func listener(at address: WebSocketAddress, _ core: FakeServerCore) throws -> WebSocketListener {
        var limits = WebSocketLimits()
        limits.closeTime = .milliseconds(200)
        return try WebSocketListener(at: address, connectionLimits: limits, waker: core.listenerWaker)
    }

    /// Listens at the previous port, which the system may not release immediately.
    private func open(_ address: WebSocketAddress) -> WebSocketListener? {
        do {
            return try Self.listener(at: address, core)
        } catch {
            core.change { $0.failures.append("\(error)") }
            let end = MonotonicClock.now + .milliseconds(50)
            core.state.await { _ -> Monitor<SharedServerState>.Step<Void> in
                MonotonicClock.now >= end ? .done(()) : .wait(FakeServerCore.changed, until: end)
            }
            return nil
        }
    }

    private func waitUntilOnline() {
        core.state.await { state -> Monitor<SharedServerState>.Step<Void> in
            state.isOnline || state.isStopped ? .done(()) : .wait(FakeServerCore.changed, until: nil)
        }
    }
}
