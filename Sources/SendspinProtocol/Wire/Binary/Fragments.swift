/// Fragmentation of messages that exceed one transport message.
public enum Fragments {
    /// Maximum plaintext of a Noise transport message: 65535 bytes minus the tag.
    public static let plaintextLimit = 65519

    static let lastFlag: UInt8 = 1
    static let firstFlag: UInt8 = 2

    /// Splits `message`, whose first byte is its type, into transport messages.
    public static func split(_ message: [UInt8]) -> [[UInt8]] {
        guard message.count > plaintextLimit, let type = message.first else { return [message] }
        var fragments: [[UInt8]] = []
        var rest = message.dropFirst()
        var header = [BinaryType.fragment, firstFlag, type]
        while !rest.isEmpty {
            let data = rest.prefix(plaintextLimit - header.count)
            rest = rest.dropFirst(data.count)
            if rest.isEmpty { header[1] |= lastFlag }
            fragments.append(header + data)
            header = [BinaryType.fragment, 0]
        }
        return fragments
    }
}
