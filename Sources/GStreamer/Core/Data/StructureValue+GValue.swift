import CGStreamer

// Conversion between `Structure.Value` and `GValue`.

extension Structure.Value {
    private static let mostInList: guint = 256

    /// Copies a GValue; nil if it holds NULL or cannot be serialized.
    init?(_ value: UnsafePointer<GValue>) {
        switch value.pointee.g_type {
        case cgst_type_boolean(): self = .bool(g_value_get_boolean(value) != 0)
        case cgst_type_int(): self = .int(g_value_get_int(value))
        case cgst_type_uint(): self = .uint(g_value_get_uint(value))
        case cgst_type_int64(): self = .int64(Int64(g_value_get_int64(value)))
        case cgst_type_uint64(): self = .uint64(UInt64(g_value_get_uint64(value)))
        case cgst_type_double(): self = .double(g_value_get_double(value))
        case cgst_type_string():
            guard let text = copyText(of: value) else { return nil }
            self = .string(text)
        case gst_fraction_get_type(): self = .fraction(Structure.Fraction(value))
        case gst_int_range_get_type():
            let (least, most) = (gst_value_get_int_range_min(value), gst_value_get_int_range_max(value))
            self = .intRange(min(least, most)...max(least, most), step: gst_value_get_int_range_step(value))
        case gst_fraction_range_get_type():
            guard let least = gst_value_get_fraction_range_min(value),
                let most = gst_value_get_fraction_range_max(value)
            else { return nil }
            self = .fractionRange(least: Structure.Fraction(least), most: Structure.Fraction(most))
        case gst_value_list_get_type():
            self = .list(
                (0..<min(gst_value_list_get_size(value), Self.mostInList)).compactMap { index in
                    gst_value_list_get_value(value, index).flatMap { Structure.Value($0) }
                })
        case gst_structure_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .structure(Structure(raw.assumingMemoryBound(to: GstStructure.self)))
        case gst_caps_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .caps(Caps(raw.assumingMemoryBound(to: GstCaps.self)))
        case gst_value_array_get_type():
            self = .array(
                (0..<min(gst_value_array_get_size(value), Self.mostInList)).compactMap { index in
                    gst_value_array_get_value(value, index).flatMap { Structure.Value($0) }
                })
        case gst_buffer_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .bytes(copyBytes(of: raw.assumingMemoryBound(to: GstBuffer.self)))
        case gst_sample_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .sample(Sample(OpaquePointer(raw)))
        case gst_date_time_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            if let date = CalendarDate(OpaquePointer(raw)) { self = .date(date) } else { fallthrough }
        default:
            guard let text = serialized(value) else { return nil }
            self = .other(text)
        }
    }

    /// A new GValue, which the caller must unset; nil for `.other` and for a value that GStreamer does not accept.
    func makeValue() -> GValue? {
        guard let type = kind?.type, canBeMade else { return nil }
        var value = GValue()
        g_value_init(&value, type)
        switch self {
        case .bool(let bool): g_value_set_boolean(&value, bool ? 1 : 0)
        case .int(let int): g_value_set_int(&value, int)
        case .uint(let uint): g_value_set_uint(&value, uint)
        case .int64(let int64): g_value_set_int64(&value, gint64(int64))
        case .uint64(let uint64): g_value_set_uint64(&value, guint64(uint64))
        case .double(let double): g_value_set_double(&value, double)
        case .string(let string): g_value_set_string(&value, string)
        case .fraction(let fraction): gst_value_set_fraction(&value, fraction.numerator, fraction.denominator)
        case .intRange(let range, let step):
            gst_value_set_int_range_step(&value, range.lowerBound, range.upperBound, step)
        case .fractionRange(let least, let most):
            gst_value_set_fraction_range_full(
                &value, least.numerator, least.denominator, most.numerator, most.denominator)
        case .list(let values):
            for one in values {
                // The list takes ownership of the value.
                if var one = one.makeValue() { gst_value_list_append_and_take_value(&value, &one) }
            }
        case .structure(let structure): g_value_take_boxed(&value, structure.makeRaw())
        case .caps(let caps): g_value_set_boxed(&value, caps.raw)
        case .array(let values):
            for one in values {
                // The array takes ownership of the value.
                if var one = one.makeValue() { gst_value_array_append_and_take_value(&value, &one) }
            }
        case .bytes(let bytes): g_value_take_boxed(&value, makeBuffer(of: bytes))
        case .sample(let sample): g_value_take_boxed(&value, sample.makeRaw().map { UnsafeRawPointer($0) })
        case .date(let date): g_value_take_boxed(&value, date.makeRaw().map { UnsafeRawPointer($0) })
        case .other: break
        }
        return value
    }

    /// Whether GStreamer accepts the value; GStreamer logs a critical message for an invalid value.
    private var canBeMade: Bool {
        switch self {
        case .fraction(let fraction): fraction.isValid
        case .intRange(let range, let step):
            range.lowerBound < range.upperBound && step > 0 && range.lowerBound % step == 0
                && range.upperBound % step == 0
        case .fractionRange(let least, let most): least.isValid && most.isValid && least < most
        case .structure(let structure): structure.hasValidName
        // All values of an array have one type, and readers use the indices, so no value may be omitted.
        case .array(let values):
            values.allSatisfy { $0.kind != nil && $0.kind == values.first?.kind && $0.canBeMade }
        case .date(let date): date.isValid
        default: true
        }
    }
}

extension Structure.Fraction {
    init(_ value: UnsafePointer<GValue>) {
        self.init(gst_value_get_fraction_numerator(value), gst_value_get_fraction_denominator(value))
    }

    /// The reduced product of two fractions with denominators other than 0; nil if the product exceeds 31 bits.
    ///
    /// The corresponding C function is `gst_util_fraction_multiply`.
    public func times(_ other: Self) -> Self? {
        var (up, down): (gint, gint) = (0, 1)
        guard gst_util_fraction_multiply(numerator, denominator, other.numerator, other.denominator, &up, &down) != 0
        else { return nil }
        return Self(up, down)
    }

    /// Whether GStreamer accepts the fraction: it rejects the denominator 0, and cannot negate the lowest integer.
    fileprivate var isValid: Bool { denominator != 0 && numerator != .min && denominator != .min }

    fileprivate static func < (one: Self, other: Self) -> Bool {
        gst_util_fraction_compare(one.numerator, one.denominator, other.numerator, other.denominator) < 0
    }
}

/// The text of `gst_value_serialize`.
func serialized(_ value: UnsafePointer<GValue>) -> String? {
    guard let text = gst_value_serialize(value) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
}
