import CGStreamer
import Durations

extension Structure {
    /// The value of a field in a structure or caps, of a property or of a tag.
    ///
    /// The corresponding C type is `GValue`.
    public enum Value: Sendable, Equatable {
        /// `G_TYPE_BOOLEAN`.
        case bool(Bool)
        /// `G_TYPE_INT`.
        case int(Int32)
        /// `G_TYPE_UINT`.
        case uint(UInt32)
        /// `G_TYPE_INT64`.
        case int64(Int64)
        /// `G_TYPE_UINT64`.
        case uint64(UInt64)
        /// `G_TYPE_DOUBLE`.
        case double(Double)
        /// `G_TYPE_STRING`.
        case string(String)
        /// `GST_TYPE_FRACTION`.
        case fraction(Fraction)
        /// `GST_TYPE_INT_RANGE`, with its step.
        case intRange(ClosedRange<Int32>, step: Int32 = 1)
        /// `GST_TYPE_FRACTION_RANGE`.
        case fractionRange(least: Fraction, most: Fraction)
        /// `GST_TYPE_LIST`; at most 256 values are read.
        indirect case list([Value])
        /// `GST_TYPE_STRUCTURE`.
        indirect case structure(Structure)
        /// `GST_TYPE_CAPS`.
        case caps(Caps)
        /// `GST_TYPE_ARRAY`, an ordered list; at most 256 values are read.
        indirect case array([Value])
        /// `GST_TYPE_BUFFER`, as a copy of its bytes.
        case bytes([UInt8])
        /// `GST_TYPE_SAMPLE`, as a reference to the C sample.
        case sample(Sample)
        /// `GST_TYPE_DATE_TIME` without a time of day.
        case date(CalendarDate)
        /// A value of another type, as `gst_value_serialize` formats it; read-only.
        case other(String)

        /// The values of a list; for any other value, only the value itself.
        public var alternatives: [Value] { if case .list(let values) = self { values } else { [self] } }

        /// `GstClockTime`, a `G_TYPE_UINT64` in nanoseconds; a negative duration becomes 0.
        public static func duration(_ duration: Duration) -> Self { .uint64(UInt64(nanosecondsOf: duration)) }
    }

    /// A fraction of two integers, such as a frame rate.
    ///
    /// The corresponding C type is `GST_TYPE_FRACTION`.
    public struct Fraction: Sendable, Equatable {
        /// The numerator.
        public let numerator: Int32
        /// The denominator.
        public let denominator: Int32

        /// The fraction of two integers; not reduced.
        public init(_ numerator: Int32, _ denominator: Int32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    /// The kind of a value, without the value.
    ///
    /// The corresponding C type is `GType`.
    public enum Kind: Sendable, Equatable {
        /// `G_TYPE_BOOLEAN`.
        case bool
        /// `G_TYPE_INT`.
        case int
        /// `G_TYPE_UINT`.
        case uint
        /// `G_TYPE_INT64`.
        case int64
        /// `G_TYPE_UINT64`.
        case uint64
        /// `G_TYPE_DOUBLE`.
        case double
        /// `G_TYPE_STRING`.
        case string
        /// `GST_TYPE_FRACTION`.
        case fraction
        /// `GST_TYPE_INT_RANGE`.
        case intRange
        /// `GST_TYPE_FRACTION_RANGE`.
        case fractionRange
        /// `GST_TYPE_LIST`.
        case list
        /// `GST_TYPE_STRUCTURE`.
        case structure
        /// `GST_TYPE_CAPS`.
        case caps
        /// `GST_TYPE_ARRAY`.
        case array
        /// `GST_TYPE_BUFFER`.
        case bytes
        /// `GST_TYPE_SAMPLE`.
        case sample
        /// `GST_TYPE_DATE_TIME`.
        case date
    }
}

extension Structure.Kind {
    var type: GType {
        switch self {
        case .bool: cgst_type_boolean()
        case .int: cgst_type_int()
        case .uint: cgst_type_uint()
        case .int64: cgst_type_int64()
        case .uint64: cgst_type_uint64()
        case .double: cgst_type_double()
        case .string: cgst_type_string()
        case .fraction: gst_fraction_get_type()
        case .intRange: gst_int_range_get_type()
        case .fractionRange: gst_fraction_range_get_type()
        case .list: gst_value_list_get_type()
        case .structure: gst_structure_get_type()
        case .caps: gst_caps_get_type()
        case .array: gst_value_array_get_type()
        case .bytes: gst_buffer_get_type()
        case .sample: gst_sample_get_type()
        case .date: gst_date_time_get_type()
        }
    }
}

extension Structure.Value: CustomStringConvertible {
    /// The kind of the value; nil for `.other`.
    public var kind: Structure.Kind? {
        switch self {
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .fraction: .fraction
        case .intRange: .intRange
        case .fractionRange: .fractionRange
        case .list: .list
        case .structure: .structure
        case .caps: .caps
        case .array: .array
        case .bytes: .bytes
        case .sample: .sample
        case .date: .date
        case .other: nil
        }
    }

    /// The value in the syntax of `gst-launch-1.0`.
    ///
    /// The corresponding C function is `gst_value_serialize`.
    public var description: String {
        if case .other(let text) = self { return text }
        guard var value = makeValue() else { return "" }
        defer { g_value_unset(&value) }
        return serialized(&value) ?? ""
    }
}
