internal import CSodium

/// X25519 public key: the identity of a client or a server.
public struct PublicKey: Equatable, Hashable, Sendable {
    /// Number of bytes of a key.
    public static let length = 32

    /// The key of `length` bytes.
    public let bytes: [UInt8]

    /// Creates a key from `length` bytes; nil for any other length.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Decodes a `client_id` or `server_id`; nil unless it is the canonical form of `length` bytes.
    public init?(id: String) {
        guard let bytes = URLSafeBase64.decode(id, exactly: Self.length) else { return nil }
        self.bytes = bytes
    }

    /// The `client_id` or `server_id`: 43 characters of base64url without padding.
    public var id: String { URLSafeBase64.encode(bytes) }
}

extension PublicKey: CustomStringConvertible {
    /// Same as `id`.
    public var description: String { id }
}
