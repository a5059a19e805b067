internal import CSodium

/// Base64 with `-` and `_`, without padding, in constant time for keys and handshake messages.
public enum URLSafeBase64 {
    private static let variant: CInt = sodium_base64_VARIANT_URLSAFE_NO_PADDING

    /// Encodes `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes, variant) }

    fileprivate static func encode(_ bytes: [UInt8], _ variant: CInt) -> String {
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var text = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&text, capacity, bytes, bytes.count, variant)
        // The capacity includes the terminating zero byte.
        return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Decodes `text`; nil if it is malformed, not canonical, or has more than `limit` bytes when decoded.
    public static func decode(_ text: String, atMost limit: Int) -> [UInt8]? { decode(text, atMost: limit, variant) }

    fileprivate static func decode(_ text: String, atMost limit: Int, _ variant: CInt) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            let capacity = text.count / 4 * 3 + 3
            guard limit >= 0, capacity <= limit + 6 else { return nil }
            var isValid = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
                isValid = target.baseAddress.map { decode(text, into: $0, capacity, &count, variant) } ?? false
                // libsodium may have set the count before it found the fault.
                if !isValid { count = 0 }
            }
            return isValid && bytes.count <= limit ? bytes : nil
        }
    }

    /// Decodes `text`; nil if it is malformed or does not have `count` bytes when decoded.
    public static func decode(_ text: String, exactly count: Int) -> [UInt8]? {
        guard let bytes = decode(text, atMost: count), bytes.count == count else { return nil }
        return bytes
    }

    /// Decodes `text` without a copy of the bytes outside of secrets.
    static func decodeSecret(_ text: String, exactly count: Int) -> Secret? {
        var text = text
        var isValid = false
        let secret = Secret(count: count + 3) { target in
            var decoded = 0
            isValid = text.withUTF8 { decode($0, into: target, count + 3, &decoded, variant) } && decoded == count
        }
        guard isValid else { return nil }
        return secret.withBytes { bytes in
            Secret(count: count) { for index in 0..<count { $0[index] = bytes[index] } }
        }
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, _ capacity: Int,
        _ count: inout Int, _ variant: CInt
    ) -> Bool {
        guard let start = text.baseAddress, text.count > 0 else { return true }
        // libsodium 1.0.18 accepts bytes above 127.
        guard text.allSatisfy({ $0 < 128 }) else { return false }
        return start.withMemoryRebound(to: CChar.self, capacity: text.count) {
            sodium_base642bin(target, capacity, $0, text.count, nil, &count, nil, variant) == 0
        }
    }
}

/// Base64 with the standard alphabet and padding.
public enum StandardBase64 {
    private static let variant: CInt = sodium_base64_VARIANT_ORIGINAL

    /// Encodes `bytes` with padding.
    public static func encode(_ bytes: [UInt8]) -> String { URLSafeBase64.encode(bytes, variant) }

    /// Decodes `text`; nil if it is not base64 with padding, or has more than `limit` bytes when decoded.
    public static func decode(_ text: String, atMost limit: Int = 1 << 20) -> [UInt8]? {
        URLSafeBase64.decode(text, atMost: limit, variant)
    }
}
