import JSON

/// Colours that suit the music, for example those of the cover; none if the server knows none.
public struct Palette: Equatable, Sendable, ServerTimed {
    /// Purpose of a colour.
    public enum Purpose: String, CaseIterable, Sendable {
        /// Dark background, for white text and for `onDark`.
        case darkBackground = "background_dark"
        /// Light background, for black text and for `onLight`.
        case lightBackground = "background_light"
        /// The most frequent colour.
        case primary
        /// A second colour beside `primary`.
        case accent
        /// Light colour for text on `darkBackground`.
        case onDark = "on_dark"
        /// Dark colour for text on `lightBackground`.
        case onLight = "on_light"
    }

    /// Server time from which the colours are valid.
    public var timestamp: Duration
    /// The colours as 0xRRGGBB (sRGB).
    public var colours: [Purpose: UInt32] = [:]
}

extension Palette {
    init(_ reader: FieldReader) throws(WireFault) {
        timestamp = try reader.time("timestamp")
        for purpose in Purpose.allCases { colours[purpose] = try reader.optionalColour(purpose.rawValue) }
    }
}
