/// Text of a peer for a message of this program.
package enum PeerText {
    /// The first `length` characters of `text`; control characters, which could change a terminal, become spaces.
    package static func make(_ text: String, length: Int) -> String {
        var start = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(length) { start.append(isControl(scalar) ? " " : scalar) }
        return String(start) + (text.unicodeScalars.count > length ? "…" : "")
    }

    /// C0, DEL and C1, and the characters that change lines or the direction of writing.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
