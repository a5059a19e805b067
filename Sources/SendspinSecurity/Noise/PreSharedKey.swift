/// Secret key of 32 bytes that both sides of a handshake mix into their keys.
public struct PreSharedKey: Equatable, Sendable {
    /// Number of bytes of a key.
    public static let length = 32

    /// The key of `length` bytes.
    public let secret: Secret
    /// The `psk_id` that names the key in the first handshake message: 43 characters of base64url without padding.
    public let id: String

    /// Creates a key from `length` bytes; nil for any other length.
    public init?(_ secret: Secret) {
        guard secret.count == Self.length else { return nil }
        self.secret = secret
        let digest = Array("sendspin-psk-id-v1".utf8).withUnsafeBytes { label in
            secret.withBytes { Sodium.sha256(label, $0) }
        }
        id = URLSafeBase64.encode(digest)
    }

    /// Decodes a key from base64url without padding, the form in messages and stored pairings; nil if it is malformed.
    public init?(text: String) {
        guard let secret = URLSafeBase64.decodeSecret(text, exactly: Self.length) else { return nil }
        self.init(secret)
    }

    /// Creates a random key.
    public static func generate() -> PreSharedKey {
        // The secret has the required length.
        PreSharedKey(Sodium.randomSecret(count: length))!
    }

    /// The published key of clients that are not paired, which does not authenticate either side.
    public static let sentinel: PreSharedKey = {
        let digest = Array("sendspin-sentinel-psk-v1".utf8).withUnsafeBytes { Sodium.sha256($0) }
        // A SHA-256 digest has 32 bytes.
        return PreSharedKey(Secret(copying: digest))!
    }()

    /// Returns the secret key as base64url without padding, the form in messages and stored pairings.
    public func revealedText() -> String { URLSafeBase64.encode(secret.revealed()) }
}
