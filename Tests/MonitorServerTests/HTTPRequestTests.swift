import TestSupport
import Testing

@testable import MonitorServer

@Suite struct HTTPRequestTests {
    @Test func readsMethodPathAndHost() throws {
        let request = try parse("GET /metrics?x=1#y HTTP/1.1\r\nUser-Agent: a\r\nhOsT:  LocalHost:9100 ")
        #expect(request == HTTPRequest(method: .get, path: "/metrics", host: "localhost:9100"))
        #expect(try parse("HEAD / HTTP/1.0").method == .head)
        #expect(try parse("GET / HTTP/1.0").host == nil)
        #expect(try parse("GET /ab HTTP/1.1\nHost: x").path == "/ab")
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: a", HTTPRequest.Refusal.methodNotAllowed),
        ("OPTIONS / HTTP/1.1\r\nHost: a", .methodNotAllowed),
        ("GET / HTTP/2.0\r\nHost: a", .versionNotSupported),
        ("GET / HTTP/1.1", .malformed),
        ("GET  / HTTP/1.1\r\nHost: a", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b", .malformed),
        ("GET / HTTP/1.1\r\n Host: a", .malformed),
        ("GET / HTTP/1.1\r\nHost : a", .malformed),
        ("GET http://a/ HTTP/1.1\r\nHost: a", .malformed),
        ("GET /\u{7F} HTTP/1.1\r\nHost: a", .malformed),
        ("GET /é HTTP/1.1\r\nHost: a", .malformed),
        ("G\0T / HTTP/1.1\r\nHost: a", .malformed),
        ("\u{16}\u{3}\u{1}", .malformed),
        ("", .malformed),
    ])
    func refuses(_ text: String, _ refusal: HTTPRequest.Refusal) {
        #expect(throws: refusal) { try parse(text) }
    }

    @Test func drawnBytesAreParsedOrRefused() {
        var drawn = Random(seed: 1)
        let words = [
            "GET", "HEAD", " ", "/", "HTTP/1.1", "HTTP/1.0", "\r", "\n", "\r\n", "Host:", "a", ":", "\t", "\0", "?",
        ]
        var parsed = 0
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0..<12, using: &drawn)).flatMap { _ in
                Bool.random(using: &drawn)
                    ? Array((words.randomElement(using: &drawn) ?? "").utf8)
                    : [UInt8.random(in: 0...255, using: &drawn)]
            }
            if Bool.random(using: &drawn) { bytes = Array("GET / HTTP/1.0\r\n".utf8) + bytes }
            var head = RequestHead(limit: 64)
            _ = head.append(bytes[...])
            if (try? HTTPRequest(head: bytes)) != nil { parsed += 1 }
        }
        #expect(parsed > 100, "the drawn bytes must also be requests")
    }

    @Test func headIsTheSameHoweverItArrives() {
        let text = Array("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nbody".utf8)
        let whole = Array("GET / HTTP/1.1\r\nHost: a".utf8)
        for size in 1...text.count {
            var head = RequestHead(limit: 100)
            var results: [RequestHead.Progress] = []
            for start in stride(from: 0, to: text.count, by: size) {
                let progress = head.append(text[start..<min(start + size, text.count)])
                results.append(progress)
                if progress != .incomplete { break }
            }
            #expect(results.last == .complete(whole))
            #expect(results.dropLast().allSatisfy { $0 == .incomplete })
        }
        var bare = RequestHead(limit: 100)
        #expect(bare.append(Array("GET /\n\n".utf8)[...]) == .complete(Array("GET /".utf8)))
    }

    @Test func headHoldsNoMoreThanItsLimit() {
        var head = RequestHead(limit: 100)
        #expect(head.append([UInt8](repeating: 0x41, count: 100)[...]) == .incomplete)
        #expect(head.append([0x41]) == .tooLarge)
        #expect(head.count == 100)
    }

    private func parse(_ text: String) throws -> HTTPRequest { try HTTPRequest(head: Array(text.utf8)) }
}
