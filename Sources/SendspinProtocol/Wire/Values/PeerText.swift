/// Makes text of a peer safe for display and logs; texts that are compared or sent back must stay unchanged.
public enum PeerText {
    /// Default maximum length in bytes of UTF-8.
    public static let longest = 256
    private static let ellipsis: Unicode.Scalar = "…"

    /// Returns at most `limit` bytes of the text, cut between Unicode scalars.
    ///
    /// Control characters, which could change a terminal, become spaces. Format characters, which could make two names
    /// look alike, are removed.
    public static func make(_ text: String, limit: Int = longest) -> String {
        var result = String.UnicodeScalarView()
        // End of the part that leaves room for the ellipsis.
        var (size, end) = (0, result.endIndex)
        for scalar in text.unicodeScalars where !isFormat(scalar) {
            let shown = isControl(scalar) ? " " : scalar
            size += UTF8.width(shown)
            guard size <= limit else {
                result.removeSubrange(end...)
                result.append(ellipsis)
                return String(result)
            }
            result.append(shown)
            if size + UTF8.width(ellipsis) <= limit { end = result.endIndex }
        }
        return String(result)
    }

    /// Whether the scalar is a control character (C0, DEL or C1), or a line or paragraph separator.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether the scalar is invisible (category Cf), except U+200C and U+200D, which scripts and emoji require.
    private static func isFormat(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
            0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
