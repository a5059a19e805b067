import Glibc
import Sockets
import Threads

@testable import WebSocket

/// A server that sends any bytes; each script runs on its own thread.
final class HostileServer {
    /// The connections whose scripts run.
    private final class Accepted: Sendable {
        let sockets = Mutex<[StreamSocket]>([])
    }

    let address: WebSocketAddress
    private let listener: StreamSocket
    private let accepted = Accepted()
    private var workers: [Worker?] = []

    /// Listens at a free port of 127.0.0.1.
    init() throws {
        var port: UInt16 = 0
        listener = try StreamSocket(listeningAt: "127.0.0.1", port: &port)
        address = WebSocketAddress(host: "127.0.0.1", port: port, path: "/sendspin")
    }

    /// First ends the connections, because a script may wait for a client that the test releases later.
    deinit {
        for socket in accepted.sockets.withLock({ $0 }) + [listener] { shutdown(socket.descriptor, CInt(SHUT_RDWR)) }
        for worker in workers { worker?.join() }
    }

    /// Runs a script with the next connection, which ends when the script returns.
    func serve(_ script: @escaping @Sendable (HostilePeer) -> Void) {
        let (listener, accepted) = (listener, accepted)
        workers.append(
            Worker.start("hostile") {
                var descriptors = [pollfd.input(listener.descriptor)]
                Readiness.wait(for: &descriptors, until: .soon)
                guard let socket = try? listener.accept() else { return }
                accepted.sockets.withLock { $0.append(socket) }
                script(HostilePeer(socket))
                accepted.sockets.withLock { sockets in sockets.removeAll { $0 === socket } }
            })
    }

    /// Accepts the upgrade of the next connection, and then runs a script.
    func serveWebSocket(_ script: @escaping @Sendable (HostilePeer) -> Void) {
        serve { peer in
            if peer.acceptUpgrade() { script(peer) }
        }
    }
}

/// The server's end of a connection.
struct HostilePeer: Sendable {
    private let socket: StreamSocket

    init(_ socket: StreamSocket) { self.socket = socket }

    /// Accepts the request for an upgrade; false if no request arrives.
    func acceptUpgrade() -> Bool {
        var reader = HTTPHeadReader()
        while let bytes = receive() {
            var input = bytes[...]
            guard let head = try? reader.next(&input) else { continue }
            guard let request = try? UpgradeRequest(head) else { return false }
            send(UpgradeResponse.acceptance(request.key.accept))
            return true
        }
        return false
    }

    /// Sends all bytes; false if the client has closed the connection, or does not read.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var descriptors = [pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)]
            Readiness.wait(for: &descriptors, until: .soon)
            guard descriptors[0].revents != 0, let count = try? socket.send(rest) else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func send(_ drawing: String) { send(DrawnFrames.bytes(drawing)) }

    /// The bytes that have arrived; nil at the end of the connection, or if no bytes arrive in time.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var descriptors = [pollfd.input(socket.descriptor)]
        Readiness.wait(for: &descriptors, until: .soon)
        guard let count = try? socket.receive(into: &buffer), count > 0 else { return nil }
        return Array(buffer[..<count])
    }

    /// Whether the client has sent bytes, such as a close frame, or has closed the connection.
    func hasClosing() -> Bool {
        var descriptors = [pollfd.input(socket.descriptor)]
        return poll(&descriptors, 1, 0) > 0
    }

    /// All frames that the client sends until it closes the connection, in the words of `DrawnFrames`.
    func receiveAll() -> [String] {
        var pieces: [ArraySlice<UInt8>] = []
        while let bytes = receive() { pieces.append(bytes[...]) }
        return DrawnFrames.decoded(pieces, at: .server)
    }
}
