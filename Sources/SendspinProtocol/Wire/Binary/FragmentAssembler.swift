/// Joins the fragments of messages.
///
/// One message may be in flight, and no other message may interrupt it. After a fault the connection must be closed.
public struct FragmentAssembler: Sendable {
    /// Maximum number of bytes of a joined message.
    public let limit: Int
    /// The message in flight, with its type; empty if there is none.
    private var message: [UInt8] = []

    /// An assembler without a message in flight.
    public init(limit: Int) { self.limit = limit }

    /// Number of bytes of the message in flight.
    public var pendingByteCount: Int { message.count }

    /// Takes the plaintext of one transport message; returns a complete message with its type, or nil until its last
    /// fragment arrives.
    public mutating func add(_ plaintext: [UInt8]) throws(WireFault) -> [UInt8]? {
        guard let type = plaintext.first else { throw .badFragment("a transport message is empty") }
        guard type == BinaryType.fragment else {
            guard message.isEmpty else { throw .badFragment("a message interrupts a fragmented one") }
            return plaintext
        }
        guard plaintext.count >= 2 else { throw .badLength(type: type, byteCount: plaintext.count) }
        let flags = plaintext[1]
        guard flags & ~(Fragments.firstFlag | Fragments.lastFlag) == 0 else {
            throw .badFlags(type: type, flags: flags)
        }
        if flags & Fragments.firstFlag != 0 {
            try start(plaintext)
        } else {
            guard !message.isEmpty else { throw .badFragment("a fragment continues no message") }
            try append(plaintext[2...])
        }
        guard flags & Fragments.lastFlag != 0 else { return nil }
        defer { message = [] }
        return message
    }

    private mutating func start(_ plaintext: [UInt8]) throws(WireFault) {
        guard message.isEmpty else { throw .badFragment("a fragmented message starts inside another one") }
        guard plaintext.count >= 3 else {
            throw .badLength(type: BinaryType.fragment, byteCount: plaintext.count)
        }
        guard plaintext[2] != BinaryType.fragment else { throw .badFragment("a fragment contains fragments") }
        try append(plaintext[2...])
    }

    private mutating func append(_ data: ArraySlice<UInt8>) throws(WireFault) {
        guard message.count + data.count <= limit else {
            throw .tooLong(byteCount: message.count + data.count, limit: limit)
        }
        message += data
    }
}
