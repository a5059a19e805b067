import CGStreamer
import Durations

/// A position, a duration or a limit in the unit of a format.
///
/// The corresponding C types are `GstFormat` and `gint64`.
public struct FormattedValue: Sendable, Equatable {
    /// The unit of a value; formats without a constant here have the numbers of C.
    ///
    /// The corresponding C type is `GstFormat`.
    public struct Format: RawRepresentable, Sendable, Hashable {
        /// The number that C uses.
        public let rawValue: UInt32

        /// The format with the number that C uses.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        init(_ raw: GstFormat) { rawValue = raw.rawValue }

        var raw: GstFormat { GstFormat(rawValue: rawValue) }

        /// `GST_FORMAT_TIME`: nanoseconds.
        public static let time = Self(GST_FORMAT_TIME)
        /// `GST_FORMAT_BYTES`: bytes.
        public static let bytes = Self(GST_FORMAT_BYTES)
    }

    /// The format.
    public let format: Format
    /// The value in the unit of the format; nil if it is unknown, which is -1 in C.
    public var value: Int64?

    /// A value in a format.
    public init(_ format: Format, _ value: Int64?) { (self.format, self.value) = (format, value) }

    /// A time, in the format TIME; nil is an unknown one.
    public init(_ time: Duration?) { self.init(.time, time.map { Int64(nanosecondsOf: $0) }) }

    init(_ format: GstFormat, _ raw: gint64) { self.init(Format(format), raw == -1 ? nil : Int64(raw)) }

    var raw: gint64 { gint64(value ?? -1) }

    /// The value of the format TIME; nil if it is unknown, and in other formats, in which the setter does nothing.
    public var time: Duration? {
        get { format == .time ? value.map { Duration(nanoseconds: $0) } : nil }
        set { if format == .time { value = newValue.map { Int64(nanosecondsOf: $0) } } }
    }

    /// The value with its time multiplied by `fraction`; unchanged in a format other than TIME.
    public func scaled(by fraction: Structure.Fraction) -> Self { time.map { Self($0.scaled(by: fraction)) } ?? self }
}
