import Foundation
import SendspinSecurity
import Testing

/// A handshake and messages of another implementation, which `vectors.py` generates.
struct NoiseVector: Decodable, CustomTestStringConvertible {
    let suite: String
    let prologue, serverKey, clientKey, serverEphemeral, clientEphemeral, preSharedKey: String
    let preSharedKeyID, clientID, token: String
    let payloads, messages: [String]
    let handshakeHash: String
    let plaintexts, fromServer, fromClient: [String]
    let lateNonce: UInt64
    let late: String

    var testDescription: String { "\(suite), prologue of \(prologue.count / 2) bytes" }

    static let all: [NoiseVector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("vectors.json")
        // A missing file must fail each test that uses it.
        return (try? JSONDecoder().decode([NoiseVector].self, from: Data(contentsOf: file))) ?? []
    }()
}

/// The bytes that hexadecimal digits represent.
func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
        let start = hex.index(hex.startIndex, offsetBy: $0)
        return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
    }
}

/// The key pair whose secret key the hexadecimal digits represent.
func keyPair(_ hex: String) -> KeyPair? { KeyPair(secretKey: Secret(copying: bytes(hex))) }
