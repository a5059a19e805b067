import TestSupport
import Testing

@testable import MonitorServer

/// Tests that the server serves other clients while some send slowly, send huge requests or garbage, or connect often.
@Suite(.serialized) struct HostileClientTests {
    @Test(arguments: [
        ("GET /../../etc/passwd", "404"), ("GET /%2e%2e/%2e%2e/etc/passwd", "404"), ("GET //etc/passwd", "404"),
        ("GET /metrics/", "404"), ("POST /", "405"), ("DELETE /metrics", "405"), ("GET", "400"), ("GET *", "400"),
        ("GET http://evil.example/", "400"), ("CONNECT a:1", "400"),
    ])
    func refusesWithAStatus(_ line: String, _ status: String) throws {
        let rig = try Rig()
        let answer = try #require(rig.answer(line))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(!answer.contains("root:"))
        #expect(rig.answer("GET /")?.hasPrefix("HTTP/1.1 200 ") == true)
    }

    @Test(arguments: ["evil.example", "127.0.0.1.evil.example:80", "localhost@evil.example", ""])
    func foreignHostIsRefused(_ host: String) throws {
        let rig = try Rig()
        rig.server.publish(metrics: "secret", stats: "secret")
        for path in ["/", "/metrics", "/stats", "/events"] {
            let answer = try #require(rig.answer("GET \(path)", host: host))
            #expect(answer.hasPrefix("HTTP/1.1 421 ") && !answer.contains("secret"), "\(answer)")
        }
    }

    @Test func hugeRequestIsRefused() throws {
        let rig = try Rig { $0.discardedBytes = 1 << 30 }
        for request in [
            "GET /" + String(repeating: "a", count: 100_000),
            "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 100_000),
        ] {
            let client = rig.client()
            client.send(request)
            #expect(client.read { $0.contains("\r\n\r\n") }?.hasPrefix("HTTP/1.1 431 ") == true)
        }
    }

    @Test func endlessRequestIsCutOff() throws {
        let rig = try Rig()
        let client = rig.client()
        let block = [UInt8](repeating: 0x41, count: 65536)
        var sent = 0
        while sent < 1000, client.send(block) { sent += 1 }
        #expect(sent < 1000, "64 MB were read")
        #expect(rig.answer("GET /")?.hasPrefix("HTTP/1.1 200 ") == true)
    }

    @Test func slowRequestIsEnded() throws {
        let rig = try Rig {
            $0.requestTime = .milliseconds(50)
            $0.closeTime = .milliseconds(10)
        }
        let client = rig.client()
        client.send("GET / HTT")
        #expect(client.read()?.hasPrefix("HTTP/1.1 408 ") == true)
        // A client that sends single bytes does not get more time.
        let dripping = rig.client()
        var sent = 0
        while sent < 100_000_000, dripping.send([0x41]) { sent += rig.answer("HEAD /") == nil ? 100_000_000 : 1 }
        #expect(sent < 8192, "the request must be ended by time, not by its size")
    }

    /// Clients at 127.0.0.1 repeatedly begin requests, while another client requests the metrics from `scraper`.
    @Test(arguments: ["127.0.0.1", "127.0.0.2"])
    func openRequestsKeepNoScrapeOut(from scraper: String) throws {
        let rig = try Rig()
        rig.server.publish(metrics: "m", stats: "s")
        var open: [RawClient] = []
        var refused = 0
        for _ in 0..<35 {
            open += (0..<24).map { _ in rig.client() }
            for client in open { client.send("G") }
            if !RawClient.get("/metrics", port: rig.port, from: scraper).hasPrefix("HTTP/1.1 200 ") { refused += 1 }
            open.removeFirst(max(0, open.count - 48))
        }
        #expect(refused == 0, "of 35")
    }

    @Test func answeredClientsThatDoNotCloseKeepNobodyOut() throws {
        let rig = try Rig { $0.closeTime = .seconds(3600) }
        var answered: [RawClient] = []
        for _ in 0..<40 {
            let client = rig.client()
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.read()?.hasPrefix("HTTP/1.1 200 ") == true)
            answered.append(client)
        }
    }

    /// Clients at one address occupy all connections or streams, until clients at another address receive half of them.
    ///
    /// An IPv6 socket reports IPv4 addresses as IPv4-mapped IPv6 addresses.
    @Test(arguments: [6, 16], ["127.0.0.1", "::"])
    func anotherAddressReceivesItsShareOfThePlaces(clients: Int, host: String) throws {
        let rig = try Rig(host: host) {
            $0.clients = clients
            $0.streams = 6
        }
        let crowd = (0..<6).map { _ in rig.follower() }
        for _ in 0..<3 {
            #expect(RawClient.get("/", port: rig.port, from: "127.0.0.2").hasPrefix("HTTP/1.1 200 "))
        }
        let others = (0..<4).map { _ in RawClient.follower(port: rig.port, from: "127.0.0.2") }
        rig.server.publish(metrics: "", stats: "still")
        func receives(_ client: RawClient) -> Bool {
            client.read { $0.hasSuffix("data: still\n\n") }?.hasSuffix("data: still\n\n") == true
        }
        #expect(others.map(receives) == [true, true, true, false])
        #expect(crowd.map(receives) == [false, false, false, true, true, true])
    }

    @Test func clientBeyondTheLimitIsTold() throws {
        let rig = try Rig {
            $0.clients = 4
            $0.streams = 4
        }
        let followers = (0..<4).map { _ in rig.follower() }
        #expect(rig.answer("GET /")?.hasPrefix("HTTP/1.1 503 ") == true)
        rig.server.publish(metrics: "", stats: "still")
        for follower in followers {
            #expect(follower.read { $0.contains("data: still\n\n") }?.hasSuffix("data: still\n\n") == true)
        }
        for follower in followers { follower.end() }
        var answer = ""
        for _ in 0..<1000 where !answer.hasPrefix("HTTP/1.1 200 ") { answer = rig.answer("GET /") ?? "" }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func streamsLeaveRoomForOtherRequests() throws {
        let rig = try Rig { $0.streams = 2 }
        let followers = (0..<2).map { _ in rig.follower() }
        #expect(rig.answer("GET /events")?.hasPrefix("HTTP/1.1 503 ") == true)
        #expect(rig.answer("GET /")?.hasPrefix("HTTP/1.1 200 ") == true)
        withExtendedLifetime(followers) {}
    }

    @Test func halfClosedClientReceivesItsAnswer() throws {
        let rig = try Rig(page: "whole")
        let client = rig.client()
        client.send("GET / HTTP/1.0\r\n\r\n")
        client.finish()
        #expect(client.read()?.hasSuffix("whole") == true)
        let unfinished = rig.client()
        unfinished.send("GET / HT")
        unfinished.finish()
        #expect(unfinished.read() == "")
    }

    @Test func followerThatSendsIsDropped() throws {
        let rig = try Rig()
        let follower = rig.follower()
        follower.send("more")
        #expect(follower.read() != nil)
    }

    @Test func slowFollowerMissesEvents() throws {
        let rig = try Rig()
        let slow = RawClient(port: rig.port, receiveBuffer: 4096)
        slow.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let quick = rig.follower()
        let event = String(repeating: "x", count: 2_000_000)
        let before = residentMemory()
        for _ in 0..<100 {
            rig.server.publish(metrics: "", stats: event)
            #expect(quick.skip(event.utf8.count + "data: \n\n".utf8.count))
        }
        // Other tests run in the same process, so the limit is much higher than the memory that the server uses.
        #expect(residentMemory() - before < 100_000_000, "200 MB of events must not be kept for a client")
        rig.server.stop()
        #expect(slow.countBytes().0 < 20_000_000)
    }

    @Test func slowFollowerIsDropped() throws {
        let rig = try Rig { $0.stallTime = .milliseconds(100) }
        let slow = RawClient(port: rig.port, receiveBuffer: 4096)
        slow.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let quick = rig.follower()
        let event = String(repeating: "x", count: 8_000_000)
        rig.server.publish(metrics: "", stats: event)
        #expect(quick.skip(event.utf8.count + "data: \n\n".utf8.count))
        // The server publishes events until the time of the slow client has passed.
        let end = ContinuousClock.now + .milliseconds(300)
        while ContinuousClock.now < end {
            rig.server.publish(metrics: "", stats: "small")
            #expect(quick.skip("data: small\n\n".utf8.count))
        }
        let (received, isClosed) = slow.countBytes()
        #expect(isClosed && received < event.utf8.count, "\(received)")
    }

    @Test func drawnBytesFromManyClientsLeaveNothingBehind() throws {
        let rig = try Rig()
        rig.server.publish(metrics: "m", stats: "s")
        var drawn = Random(seed: 7)
        func storm(_ clients: Int) {
            for _ in 0..<clients {
                let several = (0..<Int.random(in: 1...24, using: &drawn)).map { _ in rig.client() }
                for client in several {
                    if Bool.random(using: &drawn) { client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                    let count = Int.random(in: 0..<300, using: &drawn)
                    client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &drawn) })
                    if Bool.random(using: &drawn) { client.send([UInt8](repeating: 0x41, count: 300_000)) }
                    if Bool.random(using: &drawn) { client.finish() }
                }
            }
        }
        storm(20)
        let before = residentMemory()
        storm(100)
        #expect(residentMemory() - before < 64_000_000, "150 MB of requests must not be kept")
        var answer = ""
        for _ in 0..<1000 where !answer.hasPrefix("HTTP/1.1 200 ") { answer = rig.answer("GET /") ?? "" }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func stopClosesEverythingAtOnce() throws {
        let before = openDescriptors
        for _ in 0..<20 {
            let rig = try Rig()
            let followers = (0..<8).map { _ in rig.follower() }
            let silent = (0..<4).map { _ in rig.client() }
            for client in silent { client.send("GET /") }
            rig.server.stop()
            for client in followers + silent { _ = try #require(client.read()) }
        }
        #expect(openDescriptors < before + 100, "of 240 connections")
    }
}
