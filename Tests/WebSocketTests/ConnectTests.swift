import Glibc
import Sockets
import TestSupport
import Testing
import Threads

@testable import WebSocket

@Suite struct ConnectTests {
    /// The error of an attempt to connect; nil if the attempt succeeds.
    private static func error(
        _ address: WebSocketAddress, limits: WebSocketLimits = WebSocketLimits(), waker: Waker? = nil
    ) throws -> WebSocketError? {
        let waker = try waker ?? Waker()
        do throws(WebSocketError) {
            _ = try WebSocket.connect(to: address, limits: limits, waker: waker)
            return nil
        } catch {
            return error
        }
    }

    @Test func aPortWithoutServerIsReportedWithHostAndPort() throws {
        let port = try #require(RawClient.freePort)
        let error = try Self.error(WebSocketAddress(host: "127.0.0.1", port: port))
        #expect(
            error?.description
                == "Cannot connect to 127.0.0.1:\(port): Connection refused. Check that the server runs, its port, and the firewall."
        )
    }

    @Test func aNameThatDoesNotExistIsReported() throws {
        let address = WebSocketAddress(host: "no-such-host.invalid", port: 8927)
        let error = try Self.error(address)
        guard case .cannotResolve(address, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.hasPrefix("Cannot find the host no-such-host.invalid: ") == true)
    }

    @Test(arguments: [
        WebSocketAddress(host: "", port: 1), WebSocketAddress(host: "a", port: 0),
        WebSocketAddress(host: "127.0.0.1", port: 1, path: "x"), WebSocketAddress(host: "a\u{0}b", port: 1),
        WebSocketAddress(host: "127.0.0.1", port: 1, path: "/\r\nX: y"), WebSocketAddress(host: "a b", port: 1),
    ])
    func refusesAddressesThatNoRequestCanHave(address: WebSocketAddress) throws {
        let error = try Self.error(address)
        guard case .badAddress(address, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the server answered 404 Not Found"),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "the HTTP head is malformed: its first line is \"SSH-2.0-OpenSSH_9.2\""),
        ("", "the server ended the connection without an answer"),
    ])
    func reportsAServerWithoutWebSocket(answer: String, reason: String) throws {
        let server = try HostileServer()
        server.serve { peer in
            _ = peer.receive()
            peer.send(Array(answer.utf8))
        }
        let error = try Self.error(server.address)
        #expect(error == .refused(server.address, reason: reason))
        #expect(error?.description == "No WebSocket at \(server.address): \(reason). Check the port and the path.")
    }

    @Test func aServerThatDoesNotAnswerEndsTheAttemptInTime() throws {
        let server = try HostileServer()
        var limits = WebSocketLimits()
        limits.connectTime = .milliseconds(50)
        let error = try Self.error(server.address, limits: limits)
        #expect(error == .timedOut(server.address, after: .milliseconds(50)))
        #expect(error?.description.hasPrefix("\(server.address.authority) did not answer within 50 ms. ") == true)
    }

    @Test func cancelEndsTheAttempt() throws {
        let server = try HostileServer()
        let waker = try Waker()
        // An earlier wake-up does not end the attempt.
        waker.wake()
        server.serve { peer in
            _ = peer.receive()
            waker.cancel()
            _ = peer.receive()
        }
        let error = try Self.error(server.address, waker: waker)
        #expect(error == .cancelled)
        let name = WebSocketAddress(host: "no-such-host.invalid", port: 1)
        #expect(try Self.error(name, waker: waker) == .cancelled)
    }

    @Test func aWakeUpWhileConnectingIsReportedByTheFirstWait() throws {
        let waker = try Waker()
        let server = try HostileServer()
        server.serveWebSocket { peer in _ = peer.receiveAll() }
        waker.wake()
        let client = try WebSocket.connect(to: server.address, waker: waker)
        #expect(client.wait(until: .soon) == .woken)
        #expect(client.wait(until: .zero) == .timeout)
    }

    @Test func nothingRunsInTheMainContext() throws {
        let context = MainContextProbe()
        let pair = try ConnectedPair()
        pair.client.send(.text([]))
        #expect(pair.server.nextMessage() == .text([]))
        let name = WebSocketAddress(host: "no-such-host.invalid", port: 1)
        _ = try Self.error(name)
        #expect(context.isUntouched)
    }
}
