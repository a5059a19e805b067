import Glibc
import Sockets
import TestSupport
import Testing
import Threads

@testable import WebSocket

@Suite struct ListenerTests {
    /// A listener whose thread accepts connections until the waker is cancelled.
    private final class Rig {
        let listener: WebSocketListener
        let waker: Waker
        private let accepted = Monitor(0, conditions: 0)
        private let worker: Worker?

        init(_ change: (inout WebSocketListener.Limits) -> Void = { _ in }) throws {
            var limits = WebSocketListener.Limits()
            change(&limits)
            let waker = try Waker()
            let address = WebSocketAddress(host: "127.0.0.1", port: 0, path: "/sendspin")
            let listener = try WebSocketListener(at: address, limits: limits, waker: waker)
            let accepted = accepted
            worker = Worker.start("accept") {
                while true {
                    switch listener.accept(until: .soon) {
                    case .connection: accepted.change { $0 += 1 }
                    case .woken: continue
                    case .cancelled, .timeout: return
                    }
                }
            }
            (self.listener, self.waker) = (listener, waker)
        }

        deinit { stop() }

        func stop() {
            waker.cancel()
            worker?.join()
        }

        var count: Int { accepted.change { $0 } }
        var port: UInt16 { listener.address.port }
        var authority: String { listener.address.authority }

        func request(_ path: String = "/sendspin", headers: String = "") -> String {
            "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(headers)\r\n"
        }

        /// The head of the response to a request.
        func answer(_ request: String) -> String {
            let client = RawClient(port: port)
            client.send(request)
            return client.read { $0.hasSuffix("\r\n\r\n") } ?? "nothing"
        }
    }

    @Test func acceptsUpgradesAtItsPath() throws {
        let rig = try Rig()
        let answer = rig.answer(rig.request())
        #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        rig.stop()
        #expect(rig.count == 1)
    }

    @Test func refusesOtherRequestsWithAReason() throws {
        let rig = try Rig()
        let expected = [
            (rig.request("/other"), "404 Not Found", "there is no WebSocket at the path /other\n"),
            (
                rig.request(headers: "Origin: http://evil.example\r\n"), "403 Forbidden",
                "the web page http://evil.example\n"
            ),
            ("GET /sendspin HTTP/1.1\r\nHost: a\r\n\r\n", "426 Upgrade Required", "does not ask for a WebSocket\n"),
            ("POST / HTTP/1.1\r\n\r\n", "405 Method Not Allowed", "the HTTP method is not GET\n"),
            ("\u{16}\u{3}\u{1}\r\n\r\n", "400 Bad Request", "its first line has control characters\n"),
            (String(repeating: "x", count: 9000), "431 Request Header Fields Too Large", "more than 8192 bytes\n"),
        ]
        for (request, status, reason) in expected {
            let client = RawClient(port: rig.port)
            client.send(request)
            client.finish()
            let answer = client.read() ?? "nothing"
            #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n") && answer.hasSuffix(reason), "\(answer)")
        }
        rig.stop()
        #expect(rig.count == 0)
    }

    @Test func endsConnectionsWhoseRequestTakesTooLong() throws {
        let rig = try Rig { $0.upgradeTime = .milliseconds(30) }
        let client = RawClient(port: rig.port)
        client.send("GET /sendspin HTTP/1.1\r\n")
        #expect(client.countBytes() == (0, isClosed: true))
    }

    @Test func manyUnfinishedRequestsDoNotKeepOthersOut() throws {
        let rig = try Rig { $0.pending = 4 }
        let slow = (0..<20).map { _ in RawClient(port: rig.port) }
        for client in slow { client.send("GET /") }
        #expect(rig.answer(rig.request()).hasPrefix("HTTP/1.1 101 "))
        // Each connection except the last four was closed to make room for a later connection.
        for client in slow.prefix(16) { #expect(client.countBytes() == (0, isClosed: true)) }
    }

    @Test func unfinishedRequestKeepsItsPlaceBesideThoseOfAnotherAddress() throws {
        let rig = try Rig { ($0.pending, $0.upgradeTime) = (4, .seconds(3_600)) }
        let first = RawClient(port: rig.port)
        first.send("GET /")
        let others = (0..<20).map { _ in RawClient(port: rig.port, from: "127.0.0.2") }
        for client in others { client.send("GET /") }
        for client in others.prefix(17) { #expect(client.countBytes() == (0, isClosed: true)) }
        first.send(String(rig.request().dropFirst(5)))
        #expect(first.read { $0.hasSuffix("\r\n\r\n") }?.hasPrefix("HTTP/1.1 101 ") == true)
    }

    @Test func acceptsARequestThatArrivesInSingleBytes() throws {
        let rig = try Rig()
        let client = RawClient(port: rig.port)
        for byte in rig.request().utf8 { client.send([byte]) }
        #expect(client.read { $0.hasSuffix("\r\n\r\n") }?.hasPrefix("HTTP/1.1 101 ") == true)
    }

    @Test func listensOnlyAtTheGivenAddress() throws {
        let rig = try Rig()
        #expect(RawClient(port: rig.port).isConnected)
        #expect(!RawClient(port: rig.port, host: "127.0.0.2").isConnected)
        #expect(!RawClient(port: rig.port, host: "127.1.2.3").isConnected)
    }

    @Test func reportsAPortInUseAndAddressesThatAreNotNumeric() throws {
        let rig = try Rig()
        #expect(
            throws: WebSocketError.cannotListen(rig.listener.address, reason: "Address already in use")
        ) {
            _ = try WebSocketListener(at: rig.listener.address, waker: Waker())
        }
        for address in [
            WebSocketAddress(host: "localhost", port: 0), WebSocketAddress(host: "127.0.0.1", port: 0, path: "x"),
            WebSocketAddress(host: "*", port: 0), WebSocketAddress(host: "0", port: 0),
        ] {
            let waker = try Waker()
            do throws(WebSocketError) {
                _ = try WebSocketListener(at: address, waker: waker)
                Issue.record("\(address)")
            } catch {
                guard case .badAddress(address, _) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test func acceptEndsByDeadlineWakerAndClose() throws {
        let waker = try Waker()
        let listener = try WebSocketListener(at: WebSocketAddress(host: "127.0.0.1", port: 0), waker: waker)
        #expect(listener.accept(until: .zero).name == "timeout")
        waker.wake()
        #expect(listener.accept(until: nil).name == "woken")
        let worker = Worker.start("waker") { waker.cancel() }
        #expect(listener.accept(until: nil).name == "cancelled")
        worker?.join()
        listener.close()
        #expect(!RawClient(port: listener.address.port).isConnected)
    }

    @Test func survivesHostileBytesInEveryState() throws {
        let rig = try Rig { $0.pending = 16 }
        var random = Random(seed: 8928)
        for round in 0..<500 {
            let client = RawClient(port: rig.port)
            var bytes = Array((round % 2 == 0 ? rig.request() : "").utf8) + random.bytes(round % 200)
            if round % 3 == 0 { bytes[safe: Int.random(in: 0..<300, using: &random)] ^= 0x20 }
            client.send(bytes)
        }
        #expect(rig.answer(rig.request()).hasPrefix("HTTP/1.1 101 "))
    }
}

extension WebSocketListener.Event {
    /// Name of the enumeration case.
    var name: String {
        switch self {
        case .connection: "connection"
        case .timeout: "timeout"
        case .woken: "woken"
        case .cancelled: "cancelled"
        }
    }
}

extension [UInt8] {
    fileprivate subscript(safe index: Int) -> UInt8 {
        get { indices.contains(index) ? self[index] : 0 }
        set { if indices.contains(index) { self[index] = newValue } }
    }
}
