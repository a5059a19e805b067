/// Formats server-sent events.
enum EventStream {
    private static let lineFeed = UInt8(ascii: "\n")

    /// Returns the bytes of an event; its data `text` may have several lines.
    static func event(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        // The final line break of a text is not a part of the data.
        let text = text.last == lineFeed ? text.dropLast() : text[...]
        let lines = text.split(omittingEmptySubsequences: false) { $0 == lineFeed || $0 == UInt8(ascii: "\r") }
        for line in lines {
            bytes.append(contentsOf: "data: ".utf8)
            bytes.append(contentsOf: line)
            bytes.append(lineFeed)
        }
        bytes.append(lineFeed)
        return bytes
    }

    /// A comment, which browsers ignore.
    static let comment = Array(":\n\n".utf8)
    /// First bytes of a stream; a browser reconnects one second after the stream ends.
    static let opening = Array("retry: 1000\n\n".utf8)
}
