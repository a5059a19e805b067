/// A request that the server can answer: method, path and host.
public struct HTTPRequest: Sendable, Equatable {
    /// Methods that the server answers.
    public enum Method: Sendable, Equatable {
        /// Requests head and body.
        case get
        /// Requests only the head.
        case head
    }

    /// Method of the request.
    public var method: Method
    /// Path without query and fragment; not percent-decoded, because no path of the server has such characters.
    public var path: String
    /// Host header in lower case; nil without one, which only HTTP/1.0 permits.
    public var host: String?

    /// Reason to refuse a request.
    public enum Refusal: Error, Sendable, Equatable {
        /// The request is not HTTP.
        case malformed
        /// The method is neither GET nor HEAD.
        case methodNotAllowed
        /// The version is not HTTP/1.0 or HTTP/1.1.
        case versionNotSupported
    }

    init(method: Method, path: String, host: String?) {
        self.method = method
        self.path = path
        self.host = host
    }

    /// Parses a request line and header lines, without the final empty line.
    ///
    /// Lines end with LF or CR LF. Any bytes may be passed.
    public init(head: [UInt8]) throws(Refusal) {
        let lines = head.split(separator: .lineFeed, omittingEmptySubsequences: false).map(Self.withoutReturn)
        guard let first = lines.first else { throw .malformed }
        let words = first.split(separator: .space, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: Array("HTTP/".utf8)) else { throw .malformed }
        let isOld = words[2].elementsEqual("HTTP/1.0".utf8)
        guard isOld || words[2].elementsEqual("HTTP/1.1".utf8) else { throw .versionNotSupported }
        guard let path = Self.path(of: words[1]) else { throw .malformed }
        guard let method = try Self.method(words[0]) else { throw .methodNotAllowed }
        let host = try Self.host(in: lines.dropFirst())
        guard host != nil || isOld else { throw .malformed }
        self.init(method: method, path: path, host: host)
    }

    private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == .carriageReturn ? line.dropLast() : line
    }

    private static func method(_ word: ArraySlice<UInt8>) throws(Refusal) -> Method? {
        if word.elementsEqual("GET".utf8) { return .get }
        if word.elementsEqual("HEAD".utf8) { return .head }
        guard !word.isEmpty, word.allSatisfy({ $0.isTokenCharacter }) else { throw .malformed }
        return nil
    }

    private static func path(of target: ArraySlice<UInt8>) -> String? {
        guard target.first == UInt8(ascii: "/"), target.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }

    private static func host(in lines: ArraySlice<ArraySlice<UInt8>>) throws(Refusal) -> String? {
        var host: String?
        for line in lines {
            // A folded line would belong to the previous header; HTTP/1.1 requires that it is refused.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first != .space, line.first != .tab else {
                throw .malformed
            }
            let name = line[..<colon]
            guard !name.isEmpty, name.allSatisfy({ $0.isTokenCharacter }) else { throw .malformed }
            guard name.lazy.map(\.lowercased).elementsEqual("host".utf8) else { continue }
            guard host == nil else { throw .malformed }
            host = String(decoding: trimmed(line[(colon + 1)...]).map(\.lowercased), as: UTF8.self)
        }
        return host
    }

    static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = value.drop { $0 == .space || $0 == .tab }
        let end = start.lastIndex { $0 != .space && $0 != .tab }
        return end.map { start[...$0] } ?? []
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// Lower case of an ASCII letter; other bytes are unchanged.
    var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// Whether the byte may be part of a method or of a header name (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
