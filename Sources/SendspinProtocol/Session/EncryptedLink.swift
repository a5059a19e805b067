import SendspinSecurity

/// Encryption and fragmentation of a connection after its handshake.
struct EncryptedLink: Sendable {
    /// Public key of the server as text.
    let serverID: String
    private(set) var transport: Transport
    private(set) var category: KeyCategory
    private var assembler: FragmentAssembler

    init(_ transport: Transport, _ category: KeyCategory, serverID: String, messageSize: Int) {
        self.serverID = serverID
        self.transport = transport
        self.category = category
        assembler = FragmentAssembler(limit: messageSize)
    }

    mutating func replace(_ transport: Transport, _ category: KeyCategory) {
        self.transport = transport
        self.category = category
    }

    /// Decrypts a transport message; returns a complete message with its type, or nil before the last fragment.
    mutating func receive(_ bytes: consuming [UInt8]) throws(SessionFailure) -> [UInt8]? {
        let plaintext: [UInt8]
        do throws(NoiseFault) {
            plaintext = try transport.decrypt(bytes)
        } catch {
            throw SessionFailure(.violation, "A message of the server cannot be decrypted: \(error).")
        }
        do throws(WireFault) { return try assembler.add(plaintext) } catch { throw .violation(error.description) }
    }

    /// Encrypts `message`, which begins with its type; returns its transport messages.
    func messages(for message: [UInt8]) throws(SessionFailure) -> [SocketMessage] {
        var messages: [SocketMessage] = []
        for part in Fragments.split(message) {
            do throws(NoiseFault) {
                messages.append(.binary(try transport.encrypt(part)))
            } catch {
                throw SessionFailure(.connectionLost, "A message cannot be encrypted: \(error). Connect again.")
            }
        }
        return messages
    }
}

extension SessionFailure {
    static func violation(_ clause: String) -> Self {
        SessionFailure(.violation, "The server violated the protocol: \(clause). The connection is closed.")
    }
}

/// Joins the fragments of messages.
///
/// Fragments of one message must not be interrupted by another message. After a fault, the connection must be closed.
public struct FragmentAssembler: Sendable {
    /// Maximum number of bytes of a joined message.
    public let limit: Int
    /// The incomplete message with its type; empty if there is none.
    private var message: [UInt8] = []

    /// Creates an assembler without a message.
    public init(limit: Int) { self.limit = limit }

    /// Number of bytes of the incomplete message.
    public var pendingByteCount: Int { message.count }

    /// Adds the plaintext of a transport message; returns a complete message with its type, or nil before its last
    /// fragment.
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
