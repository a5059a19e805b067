import CGLib

extension WebSocketKey {
    static func random() -> WebSocketKey {
        var generator = SystemRandomNumberGenerator()
        return WebSocketKey(generator.next(), generator.next())
    }

    /// Value of `Sec-WebSocket-Accept` for this key.
    var accept: String {
        guard let checksum = g_checksum_new(G_CHECKSUM_SHA1) else { return "" }
        defer { g_checksum_free(checksum) }
        let text = Array((self.text + Self.suffix).utf8)
        g_checksum_update(checksum, text, gssize(text.count))
        var digest = [UInt8](repeating: 0, count: 20)
        var length = gsize(digest.count)
        g_checksum_get_digest(checksum, &digest, &length)
        guard let encoded = g_base64_encode(digest, length) else { return "" }
        defer { g_free(encoded) }
        return String(cString: encoded)
    }
}
