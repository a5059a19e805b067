/// Where an encoder keeps its bitrate, and when it follows it, by the name of its factory.
///
/// As GStreamer 1.22's elements do, and the Rockchip elements of their own plugin.
public struct EncoderBitrate: Sendable, Equatable {
    /// How the property is written.
    public enum Form: Sendable, Equatable {
        /// A number.
        case number
        /// A field of a structure, as V4L2 encoders take controls, and the number by which a driver knows it.
        case control(String, driver: UInt32)
    }

    /// What an encoder does when the user has set no bitrate.
    public enum Automatic: Sendable, Equatable {
        /// It has a default.
        case none
        /// 0 lets it choose.
        case zero
        /// It chooses so many bits for each pixel, which is a property too, but makes `atFirst` bits per second until
        /// any setting changes.
        case bitsPerPixel(property: String, atFirst: Double)
    }

    /// A setting with which an encoder does not follow its bitrate.
    public struct Setting: Sendable, Equatable {
        public let property: String
        /// As `gst-launch-1.0` writes it.
        public let value: String
        /// It is every other value that matters.
        public var isAnyOther = false

        public func matches(_ present: String) -> Bool { (present == value) != isAnyOther }
    }

    public let property: String
    public let bitsPerUnit: Double
    public var form = Form.number
    public var automatic = Automatic.none
    /// Limits of the same unit that must move with it.
    public var companions: [String] = []
    /// With all of any of these, the bitrate is not followed.
    public var unless: [[Setting]] = []
    /// It takes a bitrate only before it starts.
    public var isFixed = false
    /// What it says of its stream, such as a level or codec data, is known not to change with the bitrate.
    public var keepsCaps = false

    /// Nil for an encoder nobody has looked at.
    public static func of(factory: String) -> Self? { table[factory] }

    private static func when(_ property: String, _ value: String) -> [Setting] {
        [Setting(property: property, value: value)]
    }

    private static func when(_ property: String, isNot value: String) -> [Setting] {
        [Setting(property: property, value: value, isAnyOther: true)]
    }

    private static let table: [String: Self] = {
        var table: [String: Self] = [:]
        func add(_ names: String..., encoder: Self) { for name in names { table[name] = encoder } }
        add(
            "x264enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1000,
                // Without a buffer to keep, libx264 reads its bitrate once.
                unless: [Self.when("pass", "quant"), Self.when("vbv-buf-capacity", "0")], keepsCaps: true))
        add(
            "x265enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1000,
                unless: [Self.when("qp", isNot: "-1")]))
        add(
            "openh264enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1, companions: ["max-bitrate"],
                unless: ["off", "buffer"].map { Self.when("rate-control", $0) }))
        add(
            "vp8enc", "vp9enc",
            encoder: Self(
                property: "target-bitrate", bitsPerUnit: 1,
                automatic: .bitsPerPixel(property: "bits-per-pixel", atFirst: 256_000),
                // Layers have bitrates of their own.
                unless: [Self.when("temporal-scalability-number-layers", isNot: "1")], keepsCaps: true))
        add(
            "av1enc",
            encoder: Self(
                property: "target-bitrate", bitsPerUnit: 1000,
                unless: [Self.when("end-usage", "q"), Self.when("max-quantizer", "0")], keepsCaps: true))
        add("svtav1enc", encoder: Self(property: "target-bitrate", bitsPerUnit: 1000, isFixed: true))
        add(
            "nvh264enc", "nvh265enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1024, automatic: .zero, companions: ["max-bitrate"],
                unless: [
                    Self.when("rc-mode", "constqp"),
                    Self.when("rc-mode", "default") + Self.when("qp-const", isNot: "-1"),
                ]))
        add(
            "vah264enc", "vah265enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1000, automatic: .zero,
                unless: [Self.when("rate-control", "cqp")]))
        add(
            "qsvh264enc", "qsvh265enc",
            encoder: Self(
                property: "bitrate", bitsPerUnit: 1000, companions: ["max-bitrate"],
                unless: ["cqp", "icq", "la-icq"].map { Self.when("rate-control", $0) }))
        add(
            "v4l2h264enc", "v4l2h265enc",
            encoder: Self(
                property: "extra-controls", bitsPerUnit: 1,
                // V4L2_CID_MPEG_VIDEO_BITRATE
                form: .control("video_bitrate", driver: 0x99_09CF)))
        add(
            "mpph264enc", "mpph265enc",
            encoder: Self(
                property: "bps", bitsPerUnit: 1, automatic: .zero, companions: ["bps-min", "bps-max"],
                unless: [Self.when("rc-mode", "fixqp")]))
        return table
    }()
}
