import Glibc

/// Error of a system call.
public struct SocketFailure: Error, Sendable, Equatable {
    /// Error number, such as ECONNREFUSED.
    public let number: CInt

    /// Stores `number`, by default the error of the last system call of this thread.
    public init(_ number: CInt = errno) { self.number = number }

    /// Whether to retry the call: it would block, it was interrupted, or the connection to accept was aborted.
    public var isPending: Bool { [EAGAIN, EINTR, ECONNABORTED].contains(number) }

    /// Text of `strerror_r` for the error number.
    public var reason: String {
        var bytes = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &bytes, bytes.count) == 0 else { return "error \(number)" }
        return Self.text(bytes)
    }

    /// Decodes a C string up to its terminating zero.
    public static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
