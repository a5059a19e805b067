import Glibc

/// Bytes on their way to a client; several clients share the storage of one body.
struct Outgoing {
    private var parts: [[UInt8]]
    private var sent = 0
    /// Time when the sending began, and when bytes last left.
    private let began: Duration
    private var advanced: Duration

    /// Result of an attempt to send.
    enum Progress {
        case complete
        case waiting
        case failed
    }

    init(_ parts: [[UInt8]], now: Duration) {
        self.parts = parts.filter { !$0.isEmpty }
        began = now
        advanced = now
    }

    /// Sends what the socket takes without blocking.
    mutating func send(to socket: CInt, now: Duration) -> Progress {
        while let part = parts.first {
            let count = unsafe part[sent...].withUnsafeBytes { bytes in
                // A client that has gone must not end the process by SIGPIPE.
                unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return errno == EAGAIN ? .waiting : .failed }
            advanced = now
            sent += count
            if sent >= part.count {
                parts.removeFirst()
                sent = 0
            }
        }
        return .complete
    }

    /// Time at which the sending is abandoned unless bytes leave.
    func deadline(_ limits: ServerLimits) -> Duration {
        min(advanced + limits.stallTime, began + limits.answerTime)
    }
}
