/// Television standard of the signal; see docs/NTSC.md, "PAL" and docs/NTSC.md, "SECAM".
public enum TelevisionStandard: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case ntsc, pal, secam

    public static let typeName = "Standard"

    public var nick: String { ["ntsc", "pal", "secam"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .ntsc: "NTSC: 525 lines and 59.94 fields per second; phase errors turn the hue"
        case .pal: "PAL: 625 lines and 50 fields per second; phase errors cancel between rows"
        case .secam: "SECAM: 625 lines and 50 fields per second; a weak signal has streaks of colour"
        }
    }
}

/// Decoder of a PAL receiver; see docs/NTSC.md, "Delay line".
public enum PALDecoder: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case simple, delayLine

    public static let typeName = "PalDecoder"

    public var nick: String { self == .simple ? "simple" : "delay-line" }

    public var summary: String {
        switch self {
        case .simple: "Decodes each row by itself: phase errors give stripes of two hues (Hanover bars)"
        case .delayLine: "Mean of each row and the row above it: phase errors weaken colour"
        }
    }
}
