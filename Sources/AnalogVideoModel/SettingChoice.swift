/// A setting with a fixed list of values; the raw value is the number in a preset file.
public protocol SettingChoice: RawRepresentable<Int32>, CaseIterable, Sendable {
    /// Name of the GObject enumeration type, without the type name of the element.
    static var typeName: String { get }
    /// GObject nick of the value, in `kebab-case`.
    var nick: String { get }
    /// Description of the value, for users.
    var summary: String { get }
}

/// Rows of a progressive picture that form a field; see docs/NTSC.md, "Fields".
public enum UseField: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case alternating, upper, lower, both, interleavedUpper, interleavedLower

    public static let typeName = "UseField"

    public var nick: String {
        ["alternating", "upper", "lower", "both", "interleaved-upper", "interleaved-lower"][Int(rawValue)]
    }

    public var summary: String {
        switch self {
        case .alternating: "Lower field of even frames, upper field of odd frames; the other rows are interpolated"
        case .upper: "Upper field only; the other rows are interpolated"
        case .lower: "Lower field only; the other rows are interpolated"
        case .both: "All rows of the frame as one field"
        case .interleavedUpper: "Both fields of the frame, upper field first"
        case .interleavedLower: "Both fields of the frame, lower field first"
        }
    }
}

/// Type of all low-pass filters in the signal path; see docs/NTSC.md, "Filter designs".
public enum FilterType: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case constantK, butterworth

    public static let typeName = "FilterType"

    public var nick: String { self == .constantK ? "constant-k" : "butterworth" }

    public var summary: String {
        self == .constantK ? "Constant-K: gradual roll-off, third order" : "Butterworth: steeper roll-off, second order"
    }
}

/// Filter that removes luma from the chroma band before chroma is added.
public enum LumaFilter: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case none, box, notch

    public static let typeName = "InputLumaFilter"

    public var nick: String { ["none", "box", "notch"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .none: "No filter: full luma detail, most rainbow artefacts"
        case .box: "Box filter: mean of four samples"
        case .notch: "Notch filter at the chroma carrier"
        }
    }
}

/// Low-pass filter that limits the bandwidth of chroma.
public enum ChromaLowpass: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case none, light, full

    public static let typeName = "ChromaLowpass"

    public var nick: String { ["none", "light", "full"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .none: "No filter: full chroma bandwidth"
        case .light: "2.6 MHz for I and Q"
        case .full: "1.3 MHz for I, 0.6 MHz for Q, as in NTSC broadcasts; in PAL and SECAM 1.3 MHz"
        }
    }
}

/// Kind of snow; see docs/NTSC.md, "Snow".
public enum SnowModel: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case streaks, reception

    public static let typeName = "SnowModel"

    public var nick: String { self == .streaks ? "streaks" : "reception" }

    public var summary: String {
        switch self {
        case .streaks: "Short streaks, as of a tape"
        case .reception: "Fine grain of a weak station, whose picture fades as the automatic gain rises"
        }
    }
}

/// Change of the phase of the colour carrier from one row to the next.
public enum ScanlinePhaseShift: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case degrees0, degrees90, degrees180, degrees270

    public static let typeName = "ScanlinePhaseShift"

    public var nick: String { "\(rawValue * 90)-degrees" }

    public var summary: String { self == .degrees180 ? "180 degrees, as in NTSC" : "\(rawValue * 90) degrees" }
}

/// Filter with which the receiver separates luma and chroma.
public enum ChromaDemodulation: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case box, notch, oneLineComb, twoLineComb, none

    public static let typeName = "ChromaDemodulation"

    public var nick: String { ["box", "notch", "one-line-comb", "two-line-comb", "none"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .box: "Box filter: mean of four samples, most blur"
        case .notch: "Notch filter at the chroma carrier"
        case .oneLineComb: "Comb filter: mean of two rows"
        case .twoLineComb: "Comb filter: weighted mean of three rows, sharpest"
        case .none: "No filter, no colour: the carrier is visible, as on a black-and-white set"
        }
    }
}

/// Place in the signal path at which chroma is shifted sideways; see docs/NTSC.md, "Chroma delay".
public enum ChromaDelayPosition: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case receiver, input, output

    public static let typeName = "ChromaDelayPosition"

    public var nick: String { ["receiver", "input", "output"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .receiver: "In the receiver: chroma noise moves too, and the tape blurs the colour"
        case .input: "At the input: the dots of the carrier move too, chroma noise does not"
        case .output: "At the output: all faults of the tape move too"
        }
    }
}

/// Tape speed of the recording; a slower tape has less bandwidth.
public enum TapeSpeed: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case none, sp, lp, ep

    public static let typeName = "TapeSpeed"

    public var nick: String { ["none", "sp", "lp", "ep"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .none: "No bandwidth limit"
        case .sp: "Standard play: luma 2.4 MHz, chroma 320 kHz"
        case .lp: "Long play: luma 1.9 MHz, chroma 300 kHz"
        case .ep: "Extended play: luma 1.4 MHz, chroma 280 kHz"
        }
    }
}
