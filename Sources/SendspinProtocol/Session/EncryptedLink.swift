import SendspinSecurity

/// Encryption and fragments of a connection after its handshake.
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

    /// Continues with the keys of a new handshake.
    mutating func replace(_ transport: Transport, _ category: KeyCategory) {
        self.transport = transport
        self.category = category
    }

    /// Returns a complete message with its type, or nil until its last fragment arrives.
    mutating func receive(_ bytes: [UInt8]) throws(SessionFailure) -> [UInt8]? {
        let plaintext: [UInt8]
        do throws(NoiseFault) {
            plaintext = try transport.decrypt(bytes)
        } catch {
            throw SessionFailure(.violation, "A message of the server cannot be decrypted: \(error).")
        }
        do throws(WireFault) { return try assembler.add(plaintext) } catch { throw .violation(error.description) }
    }

    /// Returns the transport messages for a message with its type.
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
    /// A violation of the protocol, from a clause.
    static func violation(_ clause: String) -> Self {
        SessionFailure(.violation, "The server violated the protocol: \(clause). The connection is closed.")
    }
}
