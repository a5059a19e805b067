/// Text for a message to the user.
enum PrintableText {
    /// A time in seconds, or in milliseconds if it is shorter than one.
    public static func make(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return seconds == 0 ? "\(attoseconds / 1_000_000_000_000_000) ms" : "\(seconds) s"
    }

    /// The text of a peer, made safe.
    ///
    /// At most 120 bytes; bytes outside printable ASCII become a question mark.
    public static func make(_ bytes: some Sequence<UInt8>) -> String {
        let safe = bytes.prefix(120).map {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") ? $0 : UInt8(ascii: "?")
        }
        return String(decoding: safe, as: UTF8.self)
    }
}
