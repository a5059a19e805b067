/// Where an encoder keeps its bitrate, by the name of its factory.
public struct EncoderBitrate: Sendable, Equatable {
    /// How the property is written.
    public enum Form: Sendable, Equatable {
        /// A number.
        case number
        /// A field of a structure, as V4L2 encoders take controls.
        case control(String)
    }

    public let property: String
    public let bitsPerUnit: UInt64
    public var form = Form.number
    /// Limits of the same unit that must move with it.
    public var companions: [String] = []

    /// Nil for an encoder nobody has looked at.
    public static func of(factory: String) -> Self? { table[factory] }

    private static let table: [String: Self] = {
        let kilobits = Self(property: "bitrate", bitsPerUnit: 1000)
        let target = Self(property: "target-bitrate", bitsPerUnit: 1)
        var table: [String: Self] = [
            "openh264enc": Self(property: "bitrate", bitsPerUnit: 1),
            "vp8enc": target, "vp9enc": target,
            "av1enc": Self(property: "target-bitrate", bitsPerUnit: 1000),
            "svtav1enc": Self(property: "target-bitrate", bitsPerUnit: 1000),
        ]
        for name in [
            "x264enc", "x265enc", "nvh264enc", "nvh265enc", "vah264enc", "vah265enc", "qsvh264enc", "qsvh265enc",
        ] { table[name] = kilobits }
        for name in ["v4l2h264enc", "v4l2h265enc"] {
            table[name] = Self(property: "extra-controls", bitsPerUnit: 1, form: .control("video_bitrate"))
        }
        for name in ["mpph264enc", "mpph265enc"] {
            table[name] = Self(property: "bps", bitsPerUnit: 1, companions: ["bps-min", "bps-max"])
        }
        return table
    }()
}

/// One number of an encoder: its ceiling is what the user set, and goes back there exactly.
///
/// Values are in the encoder's own unit.
public struct BitrateLever: Sendable, Equatable {
    private var ceiling: UInt64?
    private var written: UInt64?

    public init() {}

    /// What to write for `share` of the ceiling when the encoder has `present`; nil to leave it as it is.
    ///
    /// What is not what was written last the user has set since: it is the new ceiling. `automatic` stands for the
    /// ceiling where 0 lets the encoder choose; without it, 0 is left alone.
    public mutating func move(to share: Double, present: UInt64, automatic: UInt64? = nil) -> UInt64? {
        if present != written || ceiling == nil { ceiling = present }
        guard let ceiling else { return nil }
        guard share < 1 else {
            defer { self = BitrateLever() }
            return written != nil && ceiling != present ? ceiling : nil
        }
        guard let full = ceiling > 0 ? ceiling : automatic, full > 0 else { return nil }
        let value = max(1, UInt64(min(Double(full) * max(share, 0.01), Double(Int32.max))))
        written = value
        return value == present ? nil : value
    }

    /// Encoders round: `present` is what became of the value that was written.
    public mutating func wrote(as present: UInt64) {
        if written != nil { written = present }
    }
}

/// Finds out whether an encoder has obeyed.
public struct BitrateCheck: Sendable {
    public enum Verdict: Sendable, Equatable {
        case obeyed
        /// Bits per second before and after, and what was asked for.
        case ignored(before: Double, after: Double, asked: Double)
    }

    /// Encoders look ahead, and need a while to come down.
    public static let settling = Duration.seconds(2)
    public static let measuring = Duration.seconds(4)

    private let before: Double
    private let asked: Double
    private let start: Duration
    private var bytesAtStart: UInt64?

    /// `before` and `asked` are bits per second.
    public init(before: Double, asked: Double, at now: Duration) {
        self.before = before
        self.asked = asked
        start = now
    }

    /// Nil while it is too early to tell; `bytes` counts what has left the encoder so far.
    ///
    /// An encoder that makes less than it may needs not change, and one that never kept to its bitrate has ignored it
    /// only when nothing changes.
    public mutating func look(bytes: UInt64, now: Duration) -> (verdict: Verdict, bitsPerSecond: Double)? {
        guard now - start >= Self.settling else { return nil }
        guard let first = bytesAtStart else {
            bytesAtStart = bytes
            return nil
        }
        let seconds = (now - start - Self.settling) / .seconds(1)
        guard seconds >= Self.measuring / .seconds(1) else { return nil }
        let after = Double(bytes &- min(first, bytes)) * 8 / seconds
        let isIgnored = before > 0 && after > asked * 1.15 && after > before * 0.9
        return (isIgnored ? .ignored(before: before, after: after, asked: asked) : .obeyed, after)
    }
}
