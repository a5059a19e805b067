import Foundation
import Sockets
import TestSupport
import Testing

@testable import WebSocket

@Suite struct UpgradeTests {
    private static let key = WebSocketKey(Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)[...])

    /// Parses `text`, in which lines end with LF, as a head; if `singly`, the parser receives one byte at a time.
    private static func head(_ text: String, singly: Bool = false) throws(UpgradeFault) -> HTTPHead? {
        let bytes = Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        var reader = HTTPHeadReader()
        var input = bytes[...]
        guard singly else { return try reader.nextForUpgrade(&input) }
        for byte in bytes {
            var input: ArraySlice<UInt8> = [byte]
            if let head = try reader.nextForUpgrade(&input) { return head }
        }
        return nil
    }

    @Test func computesTheAcceptKeyOfTheSpecification() throws {
        #expect(try #require(Self.key).accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func keysAreTheBase64FormOf16Bytes() throws {
        var random = Random(seed: 4648)
        for _ in 0..<200 {
            let (high, low): (UInt64, UInt64) = (random.next(), random.next())
            let key = WebSocketKey(high, low)
            let data = try #require(Data(base64Encoded: key.text))
            #expect(data.prefix(8).elementsEqual((0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - ($0 * 8))) }))
            #expect(data.suffix(8).elementsEqual((0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - ($0 * 8))) }))
            #expect(WebSocketKey(Array(key.text.utf8)[...]) == key)
        }
        for text in [
            "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j====",
            "dGhl-HNhbXBsZSBub25jZQ==",
        ] {
            #expect(WebSocketKey(Array(text.utf8)[...]) == nil, "\(text)")
        }
    }

    @Test func requestIsAcceptedByTheServer() throws {
        let request = try #require(UpgradeRequest(authority: "den.local:8927", path: "/a?b=c", key: .random()))
        var reader = HTTPHeadReader()
        var input = (request.bytes + [0x81, 0x00])[...]
        let head = try #require(try reader.next(&input))
        #expect(Array(input) == [0x81, 0x00])
        let received = try UpgradeRequest(head)
        #expect(received == request)
        #expect(throws: Never.self) { try received.check(path: "/a") }
        #expect(throws: UpgradeFault.notFound(path: "/a?b=c")) { try received.check(path: "/") }
    }

    @Test(arguments: [
        ("den:1", "/a b"), ("den:1", "/a\r\nHost: x"), ("den:1", ""), ("den:1", "a"), ("den:1", "/ä"), ("den:1", "/#"),
        ("den:1\r\nX: y", "/"), ("", "/"), ("den /x:1", "/"), ("den/x:1", "/"), ("dén:1", "/"),
    ])
    func makesNoRequestOfCharactersThatEndALine(authority: String, path: String) {
        #expect(UpgradeRequest(authority: authority, path: path, key: WebSocketKey(1, 2)) == nil)
    }

    private static let request = """
        GET /sendspin HTTP/1.1
        Host: den:1
        upgrade: foo, WebSocket
        CONNECTION:keep-alive ,\tUpgrade\t
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Cookie: a=b; c

        """ + "\n"

    @Test(arguments: [
        ("", "", nil),
        ("GET /sendspin HTTP/1.1", "POST /sendspin HTTP/1.1", UpgradeFault.methodNotAllowed),
        ("HTTP/1.1", "HTTP/1.0", .malformed("its version is not HTTP/1.1")),
        ("HTTP/1.1", "HTTP/2", .malformed("its version is not HTTP/1.1")),
        ("GET /sendspin HTTP/1.1", "GET  HTTP/1.1", .malformed("its path is invalid")),
        ("GET /sendspin HTTP/1.1", "GET / x HTTP/1.1", .malformed("its first line is not a request")),
        ("GET /sendspin HTTP/1.1", "GET sendspin HTTP/1.1", .malformed("its path is invalid")),
        ("GET /sendspin HTTP/1.1", "G\u{1}T /sendspin HTTP/1.1", .malformed("its first line has control characters")),
        ("/sendspin", "/elsewhere", .notFound(path: "/elsewhere")),
        ("Host: den:1\n", "", .malformed("it has not exactly one Host")),
        ("Host: den:1\n", "Host: den:1\nHost: evil\n", .malformed("it has not exactly one Host")),
        ("Host: den:1\n", "Host : den:1\n", .malformed("a header has no valid name")),
        ("Host: den:1\n", "Host: den:1\n folded: x\n", .malformed("a header has no valid name")),
        ("Host: den:1\n", "Host: den:1\nnocolon\n", .malformed("a header has no valid name")),
        ("Host: den:1\n", "Host: den\u{0}:1\n", .malformed("a header has control characters")),
        ("Cookie", "Content-Length: 5\nCookie", .malformed("it has a body")),
        ("Cookie", "Transfer-Encoding: chunked\nCookie", .malformed("it has a body")),
        ("foo, WebSocket", "h2c", .noUpgrade),
        ("keep-alive ,\tUpgrade\t", "keep-alive", .noUpgrade),
        ("keep-alive ,\tUpgrade\t", "xUpgrade", .noUpgrade),
        ("Version: 13", "Version: 8", .versionNotSupported),
        ("Version: 13\n", "Version: 13\nSec-WebSocket-Version: 13\n", .versionNotSupported),
        ("dGhlIHNhbXBsZSBub25jZQ==", "short", .malformed("it has not exactly one valid Sec-WebSocket-Key")),
        ("Cookie", "Origin: http://evil.example\nCookie", .fromWebPage(origin: "http://evil.example")),
        ("Cookie", "Origin:\nCookie", .fromWebPage(origin: "")),
    ])
    func serverChecksRequests(old: String, new: String, fault: UpgradeFault?) throws {
        let text = old.isEmpty ? Self.request : Self.request.replacingOccurrences(of: old, with: new)
        for singly in [false, true] {
            var found: UpgradeFault?
            do throws(UpgradeFault) {
                let head = try Self.head(text, singly: singly)
                if let head { try UpgradeRequest(head).check(path: "/sendspin") }
                if head == nil { found = .malformed("incomplete") }
            } catch {
                found = error
            }
            #expect(found == fault)
        }
        guard let fault else { return }
        let answer = String(decoding: UpgradeResponse.refusal(fault), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 4") && answer.contains("\r\n\r\n"))
    }

    private static let response = """
        HTTP/1.1 101 Switching Protocols
        Upgrade: WebSocket
        Connection: upgrade
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=

        """ + "\n"

    @Test(arguments: [
        ("", "", nil),
        (" Switching Protocols", "", nil),
        ("101 Switching Protocols", "404 Not \u{7E}Found", UpgradeFault.status(404, reason: "Not ~Found")),
        ("101 Switching Protocols", "302 Found", .status(302, reason: "Found")),
        ("101 Switching", "1010 Switching", .malformed(#"its first line is "HTTP/1.1 1010 Switching Protocols""#)),
        ("HTTP/1.1", "HTTP/1.0", .malformed(#"its first line is "HTTP/1.0 101 Switching Protocols""#)),
        ("HTTP/1.1 101 Switching Protocols", "SSH-2.0", .malformed(#"its first line is "SSH-2.0""#)),
        ("Upgrade: WebSocket\n", "", .notAccepted("it did not name the protocol")),
        ("Connection: upgrade\n", "", .notAccepted("it did not name the protocol")),
        ("s3pP", "S3pP", .notAccepted("Sec-WebSocket-Accept does not belong to the request")),
        ("Sec-WebSocket-Accept", "X", .notAccepted("Sec-WebSocket-Accept does not belong to the request")),
        (
            "Connection:", "Sec-WebSocket-Extensions: permessage-deflate\nConnection:",
            .notAccepted("it chose an extension or a subprotocol that was not offered")
        ),
        (
            "Connection:", "Sec-WebSocket-Protocol: chat\nConnection:",
            .notAccepted("it chose an extension or a subprotocol that was not offered")
        ),
    ])
    func clientChecksAnswers(old: String, new: String, fault: UpgradeFault?) throws {
        let text = old.isEmpty ? Self.response : Self.response.replacingOccurrences(of: old, with: new)
        let head = try #require(try Self.head(text))
        var found: UpgradeFault?
        do throws(UpgradeFault) {
            try UpgradeResponse.check(head, accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        } catch {
            found = error
        }
        #expect(found == fault)
    }

    @Test func acceptanceIsAcceptedByTheClient() throws {
        let key = WebSocketKey.random()
        var reader = HTTPHeadReader()
        var input = (UpgradeResponse.acceptance(key.accept) + [1])[...]
        let head = try #require(try reader.next(&input))
        #expect(throws: Never.self) { try UpgradeResponse.check(head, accept: key.accept) }
        #expect(Array(input) == [1])
    }

    @Test func limitsTheSizeOfAHead() throws {
        let long = "GET / HTTP/1.1\nX: " + String(repeating: "x", count: HTTPHeadReader.limit)
        #expect(throws: UpgradeFault.tooLarge(limit: HTTPHeadReader.limit)) { _ = try Self.head(long) }
        #expect(throws: UpgradeFault.malformed("it is empty")) { _ = try Self.head("\n") }
        #expect(try Self.head("GET / HTTP/1.1\nX: y\n") == nil)
    }

    @Test func hostileHeadsHaveTheSameResultInAnyPieces() {
        var random = Random(seed: 9112)
        var outcomes: [String: Int] = [:]
        for round in 0..<10_000 {
            var bytes = Array((round % 2 == 0 ? Self.request : Self.response).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0 ... .max, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
                }
            }
            let whole = Self.outcome([bytes[...]], isRequest: round % 2 == 0)
            #expect(Self.outcome(random.pieces(of: bytes, atMost: 30), isRequest: round % 2 == 0) == whole)
            outcomes[String(whole.prefix { $0 != "(" }), default: 0] += 1
        }
        for outcome in ["accepted", "incomplete", "malformed", "noUpgrade", "notFound", "notAccepted"] {
            #expect(outcomes[outcome, default: 0] > 5, "\(outcomes)")
        }
    }

    private static func outcome(_ pieces: [ArraySlice<UInt8>], isRequest: Bool) -> String {
        var reader = HTTPHeadReader()
        do throws(UpgradeFault) {
            for piece in pieces {
                var input = piece
                guard let head = try reader.nextForUpgrade(&input) else { continue }
                if isRequest { try UpgradeRequest(head).check(path: "/sendspin") }
                if !isRequest { try UpgradeResponse.check(head, accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }
                return "accepted"
            }
            return "incomplete"
        } catch {
            return "\(error)"
        }
    }
}
