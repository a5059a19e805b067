internal import CSodium

/// The code of one pairing attempt, which client and server derive from their handshake and a nonce of each.
///
/// A machine between the two has two handshakes, and so two codes.
public struct PairingCode: Sendable {
    /// How the user transfers the code to the server.
    public enum Format: String, CaseIterable, Sendable {
        /// Six digits, which the user types.
        case digits
        /// 24 bytes as a QR code, which the server scans.
        case qrCode = "qr_code"
    }

    /// Number of bytes of a nonce.
    static let nonceLength = 32

    /// Format of the code.
    public let format: Format
    /// The code as the input of the key exchange.
    ///
    /// It is not overwritten, because the application shows it, and it is worthless after its attempt.
    let bytes: [UInt8]

    /// Derives a code.
    init(_ format: Format, handshakeHash: [UInt8], serverNonce: [UInt8], clientNonce: Secret) {
        self.format = format
        let label = Array("sendspin-pairing-code-derive-v1".utf8) + handshakeHash + serverNonce
        let digest = label.withUnsafeBytes { label in clientNonce.withBytes { Sodium.secretSHA256(label, $0) } }
        bytes = digest.withBytes { digest in
            switch format {
            case .digits:
                let number = digest.reduce(UInt32(0)) { ($0 * 256 + UInt32($1)) % 1_000_000 }
                let digits = String(number)
                return Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8)
            case .qrCode: return Array(digest.prefix(24))
            }
        }
    }

    /// The code as the user sees it: `123-456`, or the text that the QR code contains.
    public var text: String {
        switch format {
        case .digits: String(decoding: bytes.prefix(3) + [UInt8(ascii: "-")] + bytes.suffix(3), as: UTF8.self)
        case .qrCode: "SP:1" + Base32.encode(bytes)
        }
    }
}

/// The client's side of a pairing attempt with a code: commitment, rounds of the key exchange, and the wrapped key.
public struct CodeExchange: Sendable {
    private enum Step: Sendable {
        /// The server must begin a round.
        case round
        /// The server must send its share, after the user has entered the code.
        case share(PairingCode)
        /// The server must send its tag.
        case tag(CPace.Outcome)
        case finished
    }

    /// Messages of the client for a server that has proved that it has the code.
    public struct Proof: Sendable {
        /// Tag of the client.
        public let tag: String
        /// The nonce to which the client has committed.
        public let wrappedNonce: String
        /// The long-term key.
        public let wrappedKey: String
    }

    private let format: PairingCode.Format
    private let suite: CipherSuite
    private let handshakeHash: [UInt8]
    private let index: Int
    private let nonce = Sodium.randomSecret(count: PairingCode.nonceLength)
    private var step = Step.round
    /// The code; nil before the first round.
    public private(set) var code: PairingCode?
    /// Number of the present round; 0 before the first one.
    private var round = 0

    /// Starts an attempt; `index` is the number of the activation on the connection with this handshake.
    public init(_ format: PairingCode.Format, suite: CipherSuite, handshakeHash: [UInt8], index: Int) {
        (self.format, self.suite, self.handshakeHash, self.index) = (format, suite, handshakeHash, index)
    }

    /// The commitment to the client's nonce, in base64url.
    public var commitment: String {
        let digest = Array("sendspin-pair-commit-v1".utf8).withUnsafeBytes { label in
            nonce.withBytes { Sodium.sha256(label, $0) }
        }
        return URLSafeBase64.encode(digest)
    }

    /// Whether the server has proved that it has the code.
    public var isVerified: Bool {
        if case .finished = step { true } else { false }
    }

    /// Begins a round with the nonce of the server, which only the first round has; nil if the message is malformed or out
    /// of order.
    public mutating func beginRound(serverNonce: String?) -> PairingCode? {
        guard case .round = step, (code == nil) == (serverNonce != nil) else { return nil }
        let present: PairingCode
        if let code {
            present = code
        } else {
            guard let text = serverNonce, let bytes = URLSafeBase64.decode(text, exactly: PairingCode.nonceLength)
            else {
                return nil
            }
            present = PairingCode(format, handshakeHash: handshakeHash, serverNonce: bytes, clientNonce: nonce)
        }
        code = present
        round += 1
        step = .share(present)
        return present
    }

    /// Returns the client's share for that of the server; nil if that is malformed, of low order, or out of order.
    public mutating func answer(share text: String) -> String? {
        guard case .share(let code) = step, let peer = PublicKey(id: text) else { return nil }
        var session = Array("sendspin-pair-pake-v1".utf8) + handshakeHash
        for number in [index, round] {
            session += withUnsafeBytes(of: UInt32(clamping: number).bigEndian) { Array($0) }
        }
        guard let exchange = try? CPace(code: code.bytes, session: session),
            let outcome = try? exchange.finish(with: peer, isInitiator: false)
        else { return nil }
        step = .tag(outcome)
        return URLSafeBase64.encode(exchange.share.bytes)
    }

    /// Result of a tag of the server.
    public enum Verdict: Sendable {
        /// The server has the code.
        case verified(Proof)
        /// The server has another code; the client may permit another round.
        case mismatch
        /// The tag is malformed or out of order.
        case malformed
    }

    /// Checks the tag of the server, and wraps the new long-term key for it.
    public mutating func verify(tag text: String, key: PreSharedKey) -> Verdict {
        guard case .tag(let outcome) = step, let tag = URLSafeBase64.decode(text, exactly: CPace.tagLength) else {
            return .malformed
        }
        guard outcome.confirms(tag) else {
            step = .round
            return .mismatch
        }
        step = .finished
        return .verified(
            Proof(
                tag: URLSafeBase64.encode(outcome.responderTag),
                wrappedNonce: wrap(nonce, outcome.wrapKey("sendspin-pair-nonce-wrap-v1")),
                wrappedKey: wrap(key.secret, outcome.wrapKey("sendspin-pair-psk-wrap-v1"))))
    }

    /// Encrypts a secret with a key that is used only once, so the nonce is always 0.
    private func wrap(_ secret: Secret, _ key: Secret) -> String {
        var plaintext = secret.revealed()
        defer { sodium_memzero(&plaintext, plaintext.count) }
        return URLSafeBase64.encode(suite.seal(plaintext, key: key, nonce: 0, associated: []))
    }
}
