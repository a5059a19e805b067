import Sockets

/// A request that the server can answer: method, path and host.
struct HTTPRequest: Sendable, Equatable {
    /// Methods that the server answers.
    enum Method: Sendable, Equatable {
        /// Requests head and body.
        case get
        /// Requests only the head.
        case head
    }

    /// Method of the request.
    var method: Method
    /// Path without query and fragment; not percent-decoded, because no path of the server has such characters.
    var path: String
    /// Host header in lower case; nil if it is missing, which only HTTP/1.0 permits.
    var host: String?

    /// Reason to refuse a request.
    enum Refusal: Error, Sendable, Equatable {
        /// The request is not HTTP, its target is not a path, or its Host header is missing or repeated.
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

    /// Reads the head of a request.
    init(_ head: HTTPHead) throws(Refusal) {
        guard let request = head.request, request.version.starts(with: "HTTP/".utf8) else { throw .malformed }
        let isOld = request.version.elementsEqual("HTTP/1.0".utf8)
        guard isOld || request.version.elementsEqual("HTTP/1.1".utf8) else { throw .versionNotSupported }
        guard let path = Self.path(of: request.target) else { throw .malformed }
        let isHead = request.method.elementsEqual("HEAD".utf8)
        guard isHead || request.method.elementsEqual("GET".utf8) else { throw .methodNotAllowed }
        let host = head.single("host").map { String(decoding: $0.map(\.lowercased), as: UTF8.self) }
        guard host != nil || (isOld && !head.has("host")) else { throw .malformed }
        self.init(method: isHead ? .head : .get, path: path, host: host)
    }

    private static func path(of target: ArraySlice<UInt8>) -> String? {
        guard target.first == UInt8(ascii: "/"), target.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }
}
