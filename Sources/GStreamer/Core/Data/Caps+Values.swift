import CGStreamer

/// The value of a field in caps.
///
/// The corresponding C type is `GValue`.
public enum CapsValue: Sendable, Equatable {
    /// `GST_TYPE_FRACTION`.
    public struct Fraction: Sendable, Equatable {
        /// The number above.
        public let numerator: Int32
        /// The number below.
        public let denominator: Int32

        /// The fraction of two numbers; not reduced.
        public init(_ numerator: Int32, _ denominator: Int32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    /// `G_TYPE_INT`.
    case int(Int32)
    /// `GST_TYPE_INT_RANGE`, with its step.
    case intRange(ClosedRange<Int32>, step: Int32 = 1)
    /// `G_TYPE_DOUBLE`.
    case double(Double)
    /// `G_TYPE_STRING`.
    case string(String)
    /// `GST_TYPE_FRACTION`.
    case fraction(Fraction)
    /// `GST_TYPE_FRACTION_RANGE`.
    case fractionRange(least: Fraction, most: Fraction)
    /// `GST_TYPE_LIST`; at most 256 values are read.
    case list([CapsValue])
    /// A value of another type, as `gst_value_serialize` writes it.
    case other(String)

    /// The value, or those of the list.
    public var alternatives: [CapsValue] { if case .list(let values) = self { values } else { [self] } }
}

extension Caps {
    /// The number of values, and of alternatives, that are read.
    private static let most = 256

    /// The indices of the alternatives; at most 256.
    public var indices: Range<Int> { 0..<min(count, Self.most) }

    /// The media type of an alternative, such as `video/x-raw`; nil when there are not as many.
    public func mediaType(at index: Int = 0) -> String? {
        structure(index).flatMap { gst_structure_get_name($0) }.map { String(cString: $0) }
    }

    /// The names of the fields of an alternative.
    public func fields(at index: Int = 0) -> [String] {
        guard let structure = structure(index) else { return [] }
        return (0..<max(0, gst_structure_n_fields(structure))).compactMap {
            gst_structure_nth_field_name(structure, guint($0)).map { String(cString: $0) }
        }
    }

    /// The value of a field of an alternative; nil when there is none.
    ///
    /// The corresponding C function is `gst_structure_get_value`.
    public func value(_ field: String, at index: Int = 0) -> CapsValue? {
        structure(index).flatMap { gst_structure_get_value($0, field) }.map { CapsValue($0) }
    }

    /// The value of a field as `gst-launch-1.0` writes it.
    public func text(_ field: String, at index: Int = 0) -> String? {
        structure(index).flatMap { gst_structure_get_value($0, field) }.map(CapsValue.text)
    }

    /// Whether an alternative has no features but system memory.
    public func isInSystemMemory(at index: Int = 0) -> Bool {
        guard structure(index) != nil, let features = gst_caps_get_features(raw, guint(index)) else { return true }
        return gst_caps_features_is_equal(features, cgst_system_memory_features()) != 0
    }

    /// Whether an alternative has the same features as the first one of `other`.
    public func hasFeatures(of other: Caps, at index: Int = 0) -> Bool {
        guard structure(index) != nil, other.structure(0) != nil,
            let features = gst_caps_get_features(raw, guint(index)), let others = gst_caps_get_features(other.raw, 0)
        else { return false }
        return gst_caps_features_is_equal(features, others) != 0
    }

    /// A copy with a field set in all alternatives; `.other` cannot be set.
    ///
    /// The corresponding C function is `gst_caps_set_value`.
    public func setting(_ field: String, to value: CapsValue) -> Caps {
        guard !isAny, let copy = gst_caps_copy(raw), var value = value.makeValue() else { return self }
        gst_caps_set_value(copy, field, &value)
        g_value_unset(&value)
        return Caps(taking: copy)
    }

    /// The alternatives of these caps, and those of `other` behind them.
    ///
    /// The corresponding C function is `gst_caps_merge`.
    public func merging(_ other: Caps) -> Caps {
        // It takes both references.
        Caps(taking: gst_caps_merge(gst_caps_ref(raw), gst_caps_ref(other.raw)))
    }

    private func structure(_ index: Int) -> UnsafeMutablePointer<GstStructure>? {
        guard let index = guint(exactly: index), index < gst_caps_get_size(raw) else { return nil }
        return gst_caps_get_structure(raw, index)
    }
}

extension CapsValue {
    fileprivate init(_ value: UnsafePointer<GValue>) {
        switch value.pointee.g_type {
        case cgst_type_int(): self = .int(g_value_get_int(value))
        case cgst_type_double(): self = .double(g_value_get_double(value))
        case cgst_type_string(): self = .string(g_value_get_string(value).map { String(cString: $0) } ?? "")
        case gst_fraction_get_type(): self = .fraction(Fraction(value))
        case gst_int_range_get_type():
            let (least, most) = (gst_value_get_int_range_min(value), gst_value_get_int_range_max(value))
            self = .intRange(min(least, most)...max(least, most), step: gst_value_get_int_range_step(value))
        case gst_fraction_range_get_type():
            guard let least = gst_value_get_fraction_range_min(value),
                let most = gst_value_get_fraction_range_max(value)
            else {
                self = .other(Self.text(value))
                return
            }
            self = .fractionRange(least: Fraction(least), most: Fraction(most))
        case gst_value_list_get_type():
            self = .list(
                (0..<min(gst_value_list_get_size(value), 256)).compactMap { index in
                    gst_value_list_get_value(value, index).map { CapsValue($0) }
                })
        default: self = .other(Self.text(value))
        }
    }

    fileprivate static func text(_ value: UnsafePointer<GValue>) -> String {
        guard let text = gst_value_serialize(value) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// A new value that the caller unsets; nil for one that cannot be set.
    fileprivate func makeValue() -> GValue? {
        var value = GValue()
        func set(_ type: GType, _ fill: (UnsafeMutablePointer<GValue>) -> Void) -> GValue {
            g_value_init(&value, type)
            fill(&value)
            return value
        }
        switch self {
        case .int(let number): return set(cgst_type_int()) { g_value_set_int($0, number) }
        case .double(let number): return set(cgst_type_double()) { g_value_set_double($0, number) }
        case .string(let text): return set(cgst_type_string()) { g_value_set_string($0, text) }
        case .fraction(let fraction):
            guard fraction.denominator != 0, fraction.numerator != .min, fraction.denominator != .min else {
                return nil
            }
            return set(gst_fraction_get_type()) {
                gst_value_set_fraction($0, fraction.numerator, fraction.denominator)
            }
        case .intRange(let range, let step):
            guard range.lowerBound < range.upperBound, step > 0, range.lowerBound % step == 0,
                range.upperBound % step == 0
            else { return nil }
            return set(gst_int_range_get_type()) {
                gst_value_set_int_range_step($0, range.lowerBound, range.upperBound, step)
            }
        case .fractionRange, .list, .other: return nil
        }
    }
}

extension CapsValue.Fraction {
    fileprivate init(_ value: UnsafePointer<GValue>) {
        self.init(gst_value_get_fraction_numerator(value), gst_value_get_fraction_denominator(value))
    }
}
