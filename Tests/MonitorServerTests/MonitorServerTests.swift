import TestSupport
import Testing

@testable import MonitorServer

@Suite struct MonitorServerTests {
    @Test func answersEachPathWithItsContent() throws {
        let rig = try Rig(page: "<p>the page")
        rig.server.publish(metrics: "frames_total 1\n", stats: #"{"a":1}"#)
        let expected = [
            ("/", "text/html; charset=utf-8", "<p>the page"),
            ("/metrics", "text/plain; version=0.0.4; charset=utf-8", "frames_total 1\n"),
            ("/stats", "application/json", #"{"a":1}"#),
            ("/stats?pretty", "application/json", #"{"a":1}"#),
        ]
        for (path, type, body) in expected {
            let answer = try #require(rig.answer("GET \(path)"))
            #expect(
                answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n\(body)"))
            let head = try #require(rig.answer("HEAD \(path)"))
            #expect(head == String(answer.dropLast(body.count)))
        }
        #expect(rig.answer("GET /")?.contains("frame-ancestors 'none'") == true)
        #expect(rig.answer("HEAD /events")?.contains("text/event-stream") == true)
    }

    @Test func figuresAreUnavailableBeforeTheFirstAreMade() throws {
        let rig = try Rig()
        #expect(rig.answer("GET /metrics")?.hasPrefix("HTTP/1.1 503 ") == true)
        #expect(rig.answer("GET /stats")?.hasPrefix("HTTP/1.1 503 ") == true)
        #expect(rig.answer("GET /")?.hasPrefix("HTTP/1.1 200 ") == true)
    }

    @Test func eachEventReachesEachFollower() throws {
        let rig = try Rig()
        rig.server.publish(metrics: "", stats: "zero")
        let followers = (0..<3).map { _ in rig.follower() }
        for text in ["first", "two\nlines"] {
            rig.server.publish(metrics: "", stats: text)
            let lines = text.split(separator: "\n").map { "data: \($0)\n" }.joined() + "\n"
            for follower in followers { #expect(follower.read { $0.hasSuffix(lines) }?.hasSuffix(lines) == true) }
        }
        // A new follower receives the last event at once.
        let late = rig.client()
        late.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(late.read { $0.contains("data: lines\n\n") }?.contains("data: two\ndata: lines\n\n") == true)
    }

    @Test func idleStreamReceivesComments() throws {
        let rig = try Rig { $0.heartbeat = .milliseconds(20) }
        let follower = rig.follower()
        #expect(follower.read { $0.contains(":\n\n:\n\n") }?.contains(":\n\n:\n\n") == true)
    }

    @Test func startsAgainAtTheSamePortAndKeepsWhatWasPublished() throws {
        let server = MonitorServer(page: [])
        #expect(server.address == nil)
        let address = try server.start(ServerAddress(port: 0))
        #expect(address.port > 0 && server.address == address)
        #expect(throws: ServerError.isRunning) { try server.start(ServerAddress(port: 0)) }
        server.publish(metrics: "kept", stats: "")
        let client = RawClient(port: address.port)
        client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = client.read { $0.contains("retry") }
        server.stop()
        server.stop()
        #expect(client.read() != nil, "the connection must be closed")
        #expect(server.address == nil)
        for _ in 0..<20 {
            try server.start(address)
            server.stop()
        }
        try server.start(address)
        let again = RawClient(port: address.port)
        again.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(again.read()?.hasSuffix("kept") == true)
    }

    @Test func addressInUseOrWithoutNumberIsAnError() throws {
        let rig = try Rig()
        let other = MonitorServer(page: [])
        let taken = ServerAddress(port: rig.port)
        do {
            try other.start(taken)
            Issue.record("two servers listen on one port")
        } catch {
            #expect("\(error)".hasPrefix("cannot listen on 127.0.0.1:\(rig.port): Address already in use; choose"))
        }
        let named = ServerAddress(host: "example.org", port: 0)
        #expect(throws: ServerError.badAddress(named)) { try other.start(named) }
        // No machine has an address for documentation (RFC 5737).
        #expect(throws: ServerError.self) { try other.start(ServerAddress(host: "192.0.2.1", port: 0)) }
    }
}
