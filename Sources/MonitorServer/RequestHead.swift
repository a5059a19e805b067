/// Collects the bytes of a request until its head is complete, at most `limit` of them.
struct RequestHead: Sendable {
    private var bytes: [UInt8] = []
    private let limit: Int

    /// State after bytes were appended.
    enum Progress: Sendable, Equatable {
        /// The empty line has not arrived.
        case incomplete
        /// The head without the empty line; bytes behind it are ignored, since no request has a body that is read.
        case complete([UInt8])
        /// More than `limit` bytes without an empty line.
        case tooLarge
    }

    init(limit: Int) { self.limit = limit }

    /// Number of bytes collected.
    var count: Int { bytes.count }

    /// Appends what arrived; never holds more than `limit` bytes.
    mutating func append(_ arrived: ArraySlice<UInt8>) -> Progress {
        for byte in arrived {
            // Empty lines before a request are ignored (RFC 9112, section 2.2).
            if bytes.isEmpty, byte == .lineFeed || byte == .carriageReturn { continue }
            if byte == .lineFeed, let end = endOfHead { return .complete(Array(bytes[..<end])) }
            guard bytes.count < limit else { return .tooLarge }
            bytes.append(byte)
        }
        return .incomplete
    }

    /// Length of the head if a line feed after `bytes` makes the empty line; nil if it does not.
    private var endOfHead: Int? {
        var end = bytes.count
        if end > 0, bytes[end - 1] == .carriageReturn { end -= 1 }
        guard end > 0, bytes[end - 1] == .lineFeed else { return nil }
        end -= 1
        return end > 0 && bytes[end - 1] == .carriageReturn ? end - 1 : end
    }
}
