import Sockets
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
            if (try? Self.parse(bytes)) != nil { parsed += 1 }
        }
        #expect(parsed > 100, "the drawn bytes must also be requests")
    }

    @Test func headIsTheSameHoweverItArrives() throws {
        let text = Array("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nbody".utf8)
        let whole = try Self.head(Array("GET / HTTP/1.1\nHost:a\n\n".utf8))
        #expect(whole != nil)
        for size in 1...text.count {
            var reader = HTTPHeadReader(skipsEmptyLines: true)
            var results: [HTTPHead?] = []
            for start in stride(from: 0, to: text.count, by: size) {
                var piece = text[start..<min(start + size, text.count)]
                results.append(try reader.next(&piece))
                if results[results.count - 1] != nil { break }
            }
            #expect(results.last == whole)
            #expect(results.dropLast().allSatisfy { $0 == nil })
        }
    }

    @Test func headHasNoMoreBytesThanItsLimit() throws {
        var reader = HTTPHeadReader(skipsEmptyLines: true)
        var most = [UInt8](repeating: 0x41, count: HTTPHeadReader.limit)[...]
        #expect(try reader.next(&most) == nil)
        #expect(throws: HTTPHead.Fault.tooLarge(limit: HTTPHeadReader.limit)) {
            var more: ArraySlice<UInt8> = [0x41]
            _ = try reader.next(&more)
        }
    }

    private func parse(_ text: String) throws -> HTTPRequest { try Self.parse(Array(text.utf8)) }

    /// Reads a request line and header lines, to which it adds the empty line; throws `malformed` if there is no head.
    private static func parse(_ bytes: [UInt8]) throws -> HTTPRequest {
        guard let head = try? head(bytes + Array("\r\n\r\n".utf8)) else { throw HTTPRequest.Refusal.malformed }
        return try HTTPRequest(head)
    }

    private static func head(_ bytes: [UInt8]) throws -> HTTPHead? {
        var reader = HTTPHeadReader(skipsEmptyLines: true)
        var input = bytes[...]
        return try reader.next(&input)
    }
}
