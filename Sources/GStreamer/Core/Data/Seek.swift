import CGStreamer

/// A seek, the contents of a SEEK event: another speed, another part of the stream, or both.
///
/// The corresponding C function is `gst_event_new_seek`.
public struct Seek: Sendable, Equatable {
    /// Flags of a seek; those without a constant here have the bits of C.
    ///
    /// The corresponding C type is `GstSeekFlags`.
    public struct Flags: OptionSet, Sendable {
        /// The bits of the C constants.
        public let rawValue: UInt32

        /// The flags with the bits of C constants.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        private init(_ flag: GstSeekFlags) { rawValue = flag.rawValue }

        /// `GST_SEEK_FLAG_FLUSH`: queued data is discarded.
        public static let flush = Self(GST_SEEK_FLAG_FLUSH)
        /// `GST_SEEK_FLAG_ACCURATE`: the stream begins exactly at the position.
        public static let accurate = Self(GST_SEEK_FLAG_ACCURATE)
        /// `GST_SEEK_FLAG_KEY_UNIT`: the stream begins at the nearest key frame.
        public static let keyUnit = Self(GST_SEEK_FLAG_KEY_UNIT)
        /// `GST_SEEK_FLAG_SEGMENT`: a SEGMENT_DONE message, instead of EOS, ends the part.
        public static let segment = Self(GST_SEEK_FLAG_SEGMENT)
        /// `GST_SEEK_FLAG_INSTANT_RATE_CHANGE`: only the speed changes, without a new segment.
        public static let instantRateChange = Self(GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
    }

    /// How a limit of the part is given.
    ///
    /// The corresponding C type is `GstSeekType`, with the same numbers.
    public enum LimitType: UInt32, Sendable {
        /// `GST_SEEK_TYPE_NONE`: the limit does not change.
        case none = 0
        /// `GST_SEEK_TYPE_SET`: the value is a position.
        case set = 1
        /// `GST_SEEK_TYPE_END`: the value is relative to the end of the stream.
        case end = 2

        init(_ raw: GstSeekType) { self = Self(rawValue: raw.rawValue) ?? .none }

        var raw: GstSeekType { GstSeekType(rawValue: rawValue) }
    }

    /// Speed of the playback; negative in reverse.
    public var rate: Double
    /// The flags.
    public var flags: Flags
    /// How `start` is given.
    public var startType: LimitType
    /// Start of the part, in the format of `stop`.
    public var start: FormattedValue
    /// How `stop` is given.
    public var stopType: LimitType
    /// End of the part, in the format of `start`.
    public var stop: FormattedValue

    /// A seek to the time `start`; the part ends at the time `stop`, or for nil, at the end of the stream.
    public init(to start: Duration, until stop: Duration? = nil, rate: Double = 1, flags: Flags = [.flush, .accurate]) {
        (self.rate, self.flags) = (rate, flags)
        (startType, self.start) = (.set, FormattedValue(start))
        (stopType, self.stop) = (.set, FormattedValue(stop))
    }

    /// The seek with times multiplied by `fraction`; unchanged in a format other than TIME.
    public func scaled(by fraction: Structure.Fraction) -> Self {
        var scaled = self
        (scaled.start, scaled.stop) = (start.scaled(by: fraction), stop.scaled(by: fraction))
        return scaled
    }

    init(_ event: UnsafeMutablePointer<GstEvent>) {
        var (rate, format, flags) = (1.0, GST_FORMAT_UNDEFINED, GstSeekFlags(rawValue: 0))
        var (startType, stopType) = (GST_SEEK_TYPE_NONE, GST_SEEK_TYPE_NONE)
        var (start, stop) = (gint64(-1), gint64(-1))
        gst_event_parse_seek(event, &rate, &format, &flags, &startType, &start, &stopType, &stop)
        (self.rate, self.flags) = (rate, Flags(rawValue: flags.rawValue))
        (self.startType, self.start) = (LimitType(startType), FormattedValue(format, start))
        (self.stopType, self.stop) = (LimitType(stopType), FormattedValue(format, stop))
    }

    /// A new SEEK event (transfer full); nil if GStreamer does not allow such a seek.
    func makeEvent() -> UnsafeMutablePointer<GstEvent>? {
        guard rate.isFinite, rate != 0, start.format == stop.format else { return nil }
        let movesNothing = startType == .none && stopType == .none && !flags.contains(.flush)
        guard movesNothing || !flags.contains(.instantRateChange) else { return nil }
        return gst_event_new_seek(
            rate, start.format.raw, GstSeekFlags(rawValue: flags.rawValue), startType.raw, start.raw, stopType.raw,
            stop.raw)
    }
}
