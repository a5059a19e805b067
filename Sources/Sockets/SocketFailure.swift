import Glibc

/// Failure of a call of the system.
public struct SocketFailure: Error, Sendable, Equatable {
    /// Error number, such as ECONNREFUSED.
    public let number: CInt

    /// Creates the failure of the last call of this thread.
    public init(_ number: CInt = errno) { self.number = number }

    /// Whether the call has no result yet, or was for a connection that has ended; it may be repeated.
    public var isPending: Bool { [EAGAIN, EINTR, ECONNABORTED].contains(number) }

    /// Text of the system for the error number.
    public var reason: String {
        var bytes = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &bytes, bytes.count) == 0 else { return "error \(number)" }
        return Self.text(bytes)
    }

    /// Text of C up to its zero.
    public static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
