import Sockets

/// A response; its body is not sent if the method is HEAD.
struct HTTPResponse: Sendable {
    var status: Status
    var type = "text/plain; charset=utf-8"
    /// Further header lines, each with CR LF.
    var headers = ""
    var body: [UInt8]

    enum Status: String, Sendable {
        case ok = "200 OK"
        case badRequest = "400 Bad Request"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case requestTimeout = "408 Request Timeout"
        case misdirected = "421 Misdirected Request"
        case tooLarge = "431 Request Header Fields Too Large"
        case unavailable = "503 Service Unavailable"
        case versionNotSupported = "505 HTTP Version Not Supported"
    }

    /// Creates a response whose body is a sentence about the error.
    init(_ status: Status, _ sentence: String, headers: String = "") {
        self.status = status
        self.headers = headers
        body = Array("\(sentence)\n".utf8)
    }

    init(_ body: [UInt8], type: String, headers: String = "") {
        status = .ok
        self.type = type
        self.headers = headers
        self.body = body
    }

    init(_ fault: HTTPHead.Fault) {
        switch fault {
        case .malformed: self.init(HTTPRequest.Refusal.malformed)
        case .tooLarge(let limit):
            self.init(.tooLarge, "The request line and the headers may have \(limit) bytes.")
        }
    }

    init(_ refusal: HTTPRequest.Refusal) {
        switch refusal {
        case .malformed: self.init(.badRequest, "The request is not HTTP/1.1.")
        case .versionNotSupported: self.init(.versionNotSupported, "The server supports HTTP/1.0 and HTTP/1.1.")
        case .methodNotAllowed:
            self.init(.methodNotAllowed, "The server answers GET and HEAD.", headers: "Allow: GET, HEAD\r\n")
        }
    }

    /// Returns the status line and the headers; `length` is nil for a stream, which ends with the connection.
    func head(length: Int?) -> [UInt8] {
        let size = length.map { "Content-Length: \($0)\r\n" } ?? ""
        return Array(
            """
            HTTP/1.1 \(status.rawValue)\r\nContent-Type: \(type)\r\n\(size)\(headers)Cache-Control: no-store\r\n\
            X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
            Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n
            """.utf8)
    }

    /// Permits only resources that the page contains, and forbids other pages to show the page in a frame.
    static let pagePolicy = """
        Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
        connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n
        """
}
