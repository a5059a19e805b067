/// A setting that takes one of a closed list of values; the raw value is its number in a preset file.
public protocol SettingChoice: RawRepresentable<Int32>, CaseIterable, Sendable {
    /// The name GObject registers the list under, without the project's prefix.
    static var typeName: String { get }
    /// What a user types, in `kebab-case`.
    var nick: String { get }
    /// What a user reads.
    var summary: String { get }
}

/// Which rows of a progressive picture are one field of the signal.
public enum UseField: Int32, SettingChoice {
    case alternating, upper, lower, both, interleavedUpper, interleavedLower

    public static let typeName = "UseField"

    public var nick: String {
        switch self {
        case .alternating: "alternating"
        case .upper: "upper"
        case .lower: "lower"
        case .both: "both"
        case .interleavedUpper: "interleaved-upper"
        case .interleavedLower: "interleaved-lower"
        }
    }

    public var summary: String {
        switch self {
        case .alternating: "Even frames: lower field, odd frames: upper field; the other rows are interpolated"
        case .upper: "Upper field only; the other rows are interpolated"
        case .lower: "Lower field only; the other rows are interpolated"
        case .both: "All rows as one field"
        case .interleavedUpper: "Two fields a frame, the upper one first"
        case .interleavedLower: "Two fields a frame, the lower one first"
        }
    }
}

/// The shape of every low-pass filter in the signal path.
public enum FilterType: Int32, SettingChoice {
    case constantK, butterworth

    public static let typeName = "FilterType"

    public var nick: String { self == .constantK ? "constant-k" : "butterworth" }

    public var summary: String {
        self == .constantK ? "Constant-K: three gentle poles" : "Butterworth: sharper, closer to a real set"
    }
}

/// The filter that keeps luma out of the chroma band before the two are mixed.
public enum LumaFilter: Int32, SettingChoice {
    case none, box, notch

    public static let typeName = "InputLumaFilter"

    public var nick: String {
        switch self {
        case .none: "none"
        case .box: "box"
        case .notch: "notch"
        }
    }

    public var summary: String {
        switch self {
        case .none: "None: full detail, most rainbow artefacts"
        case .box: "Box: mean of four samples"
        case .notch: "Notch at the chroma carrier"
        }
    }
}

/// How much bandwidth chroma keeps.
public enum ChromaLowpass: Int32, SettingChoice {
    case none, light, full

    public static let typeName = "ChromaLowpass"

    public var nick: String {
        switch self {
        case .none: "none"
        case .light: "light"
        case .full: "full"
        }
    }

    public var summary: String {
        switch self {
        case .none: "None: chroma stays sharp"
        case .light: "Light: 2.6 MHz"
        case .full: "Full: 1.3 MHz for I, 0.6 MHz for Q, as broadcast"
        }
    }
}

/// How much the phase of the chroma carrier moves from one row to the next.
public enum ScanlinePhaseShift: Int32, SettingChoice {
    case degrees0, degrees90, degrees180, degrees270

    public static let typeName = "ScanlinePhaseShift"

    public var nick: String { "\(rawValue * 90)-degrees" }

    public var summary: String { self == .degrees180 ? "180 degrees, as NTSC" : "\(rawValue * 90) degrees" }
}

/// How the receiver takes luma and chroma apart again.
public enum ChromaDemodulation: Int32, SettingChoice {
    case box, notch, oneLineComb, twoLineComb

    public static let typeName = "ChromaDemodulation"

    public var nick: String {
        switch self {
        case .box: "box"
        case .notch: "notch"
        case .oneLineComb: "one-line-comb"
        case .twoLineComb: "two-line-comb"
        }
    }

    public var summary: String {
        switch self {
        case .box: "Box: mean of four samples, blurry"
        case .notch: "Notch at the chroma carrier"
        case .oneLineComb: "Comb over one line"
        case .twoLineComb: "Comb over two lines, sharpest"
        }
    }
}

/// How fast the tape ran when it was recorded; slower keeps less detail.
public enum TapeSpeed: Int32, SettingChoice {
    case none, sp, lp, ep

    public static let typeName = "TapeSpeed"

    public var nick: String {
        switch self {
        case .none: "none"
        case .sp: "sp"
        case .lp: "lp"
        case .ep: "ep"
        }
    }

    public var summary: String {
        switch self {
        case .none: "No loss of bandwidth"
        case .sp: "Standard play: luma 2.4 MHz, chroma 320 kHz"
        case .lp: "Long play: luma 1.9 MHz, chroma 300 kHz"
        case .ep: "Extended play: luma 1.4 MHz, chroma 280 kHz"
        }
    }
}
