@testable import SendspinSecurity

extension PairingToken {
    /// Parses a token of version 0, in upper or lower case and with surrounding blanks; nil if it is malformed.
    package init?(text: String) {
        var text = Array(text.utf8)[...]
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        while let first = text.first, isBlank(first) { text.removeFirst() }
        while let last = text.last, isBlank(last) { text.removeLast() }
        // The longest valid token has 107 characters.
        guard text.count <= 128 else { return nil }
        let upper = text.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
        var body = upper[...]
        if body.starts(with: "SP:".utf8) { body = body.dropFirst(3) }
        guard body.first == UInt8(ascii: "0"),
            let bytes = Base32.decode(body.dropFirst(), exactly: PublicKey.length + PreSharedKey.length),
            let client = PublicKey(Array(bytes.prefix(PublicKey.length))),
            let key = PreSharedKey(Secret(copying: Array(bytes.dropFirst(PublicKey.length))))
        else { return nil }
        self.init(client: client, key: key)
    }
}

extension Base32 {
    /// Decodes upper-case text to `count` bytes; nil if the length, a character or an unused bit is wrong.
    fileprivate static func decode(_ text: some Collection<UInt8>, exactly count: Int) -> [UInt8]? {
        guard text.count == (count * 8 + 4) / 5 else { return nil }
        var bytes: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = ((bits << 5) | UInt32(value)) & 0xFFFF
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        return (bits & ((1 << bitCount) - 1)) == 0 ? bytes : nil
    }
}
