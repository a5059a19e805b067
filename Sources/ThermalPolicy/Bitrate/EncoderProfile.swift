/// Bitrate property of an encoder, and the conditions under which the encoder follows it.
///
/// The table covers the elements of GStreamer 1.22 and of the Rockchip plugin.
public struct EncoderProfile: Sendable, Equatable {
    /// Type of the property.
    public enum Form: Sendable, Equatable {
        /// A number.
        case number
        /// A field of a structure, as in V4L2 encoders; `driver` is the number of the control in the driver.
        case control(String, driver: UInt32)
    }

    /// Behaviour of an encoder whose bitrate the user has not set.
    public enum Automatic: Sendable, Equatable {
        /// The encoder has a default bitrate.
        case none
        /// The encoder selects a bitrate if the property is 0.
        case zero
        /// The encoder computes a bitrate from the property for bits per pixel, but uses `atFirst` bits per second
        /// until a property changes.
        case bitsPerPixel(property: String, atFirst: Double)
    }

    /// A value of a property that makes the encoder ignore its bitrate.
    public struct Setting: Sendable, Equatable {
        /// Name of the property.
        public let property: String
        /// The value, in the notation of `gst-launch-1.0`.
        public let value: String
        /// Whether the setting means every value except `value`.
        public var isAnyOther = false

        /// Whether the setting includes the value `present`.
        public func matches(_ present: String) -> Bool { (present == value) != isAnyOther }
    }

    /// Name of the property for the bitrate.
    public let property: String
    /// Bits per second of one unit of the property.
    public let bitsPerUnit: Double
    /// Type of the property.
    public var form = Form.number
    /// Behaviour of the encoder if the user has not set its bitrate.
    public var automatic = Automatic.none
    /// Properties with limits in the same unit that must change with the bitrate.
    public var companions: [String] = []
    /// Combinations of settings, each of which makes the encoder ignore its bitrate.
    public var unless: [[Setting]] = []
    /// Whether the bitrate is writable only before the encoder starts.
    public var isFixed = false
    /// Whether the output caps, such as level and codec data, stay the same when the bitrate changes.
    public var keepsCaps = false

    /// Profile of the encoder; nil if it is unknown.
    public static func of(factory: String) -> Self? { table[factory] }

    private static func when(_ property: String, _ value: String) -> [Setting] {
        [Setting(property: property, value: value)]
    }

    private static func when(_ property: String, isNot value: String) -> [Setting] {
        [Setting(property: property, value: value, isAnyOther: true)]
    }

    private static let table: [String: Self] = {
        let x264 = Self(
            property: "bitrate", bitsPerUnit: 1000,
            // Without a VBV buffer, libx264 reads its bitrate only once.
            unless: [Self.when("pass", "quant"), Self.when("vbv-buf-capacity", "0")], keepsCaps: true)
        let x265 = Self(property: "bitrate", bitsPerUnit: 1000, unless: [Self.when("qp", isNot: "-1")])
        let openh264 = Self(
            property: "bitrate", bitsPerUnit: 1, companions: ["max-bitrate"],
            unless: ["off", "buffer"].map { Self.when("rate-control", $0) })
        let vpx = Self(
            property: "target-bitrate", bitsPerUnit: 1,
            automatic: .bitsPerPixel(property: "bits-per-pixel", atFirst: 256_000),
            // With several layers, each layer has its own bitrate.
            unless: [Self.when("temporal-scalability-number-layers", isNot: "1")], keepsCaps: true)
        let av1 = Self(
            property: "target-bitrate", bitsPerUnit: 1000,
            unless: [Self.when("end-usage", "q"), Self.when("max-quantizer", "0")], keepsCaps: true)
        let svtav1 = Self(property: "target-bitrate", bitsPerUnit: 1000, isFixed: true)
        let nv = Self(
            property: "bitrate", bitsPerUnit: 1024, automatic: .zero, companions: ["max-bitrate"],
            unless: [
                Self.when("rc-mode", "constqp"), Self.when("rc-mode", "default") + Self.when("qp-const", isNot: "-1"),
            ])
        let va = Self(
            property: "bitrate", bitsPerUnit: 1000, automatic: .zero, unless: [Self.when("rate-control", "cqp")])
        let qsv = Self(
            property: "bitrate", bitsPerUnit: 1000, companions: ["max-bitrate"],
            unless: ["cqp", "icq", "la-icq"].map { Self.when("rate-control", $0) })
        let v4l2 = Self(
            property: "extra-controls", bitsPerUnit: 1,
            // V4L2_CID_MPEG_VIDEO_BITRATE
            form: .control("video_bitrate", driver: 0x99_09CF))
        let mpp = Self(
            property: "bps", bitsPerUnit: 1, automatic: .zero, companions: ["bps-min", "bps-max"],
            unless: [Self.when("rc-mode", "fixqp")])
        return [
            "x264enc": x264, "x265enc": x265, "openh264enc": openh264, "vp8enc": vpx, "vp9enc": vpx, "av1enc": av1,
            "svtav1enc": svtav1, "nvh264enc": nv, "nvh265enc": nv, "vah264enc": va, "vah265enc": va,
            "qsvh264enc": qsv, "qsvh265enc": qsv, "v4l2h264enc": v4l2, "v4l2h265enc": v4l2, "mpph264enc": mpp,
            "mpph265enc": mpp,
        ]
    }()
}
