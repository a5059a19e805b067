enum PrintableText {
    /// A time in seconds, or in milliseconds if it is less than 1 s.
    public static func make(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return seconds == 0 ? "\(attoseconds / 1_000_000_000_000_000) ms" : "\(seconds) s"
    }

    /// Text of a peer in at most 120 bytes; non-printable and non-ASCII bytes and quotation marks become question
    /// marks.
    public static func make(_ bytes: some Sequence<UInt8>) -> String {
        let safe = bytes.prefix(120).map {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") ? $0 : UInt8(ascii: "?")
        }
        return String(decoding: safe, as: UTF8.self)
    }
}
