import CGStreamer

extension ValueCoding<Bool> {
    static let bool = Self(put: { g_value_set_boolean($0, $1 ? 1 : 0) }, take: { g_value_get_boolean($0) != 0 })
}

extension ValueCoding<Int32> {
    static let int32 = Self(put: { g_value_set_int($0, $1) }, take: { g_value_get_int($0) })
    static let choice = Self(put: { g_value_set_enum($0, $1) }, take: { g_value_get_enum($0) })
}

extension ValueCoding<UInt32> {
    static let uint32 = Self(put: { g_value_set_uint($0, $1) }, take: { g_value_get_uint($0) })
    static let flags = Self(put: { g_value_set_flags($0, $1) }, take: { g_value_get_flags($0) })
}

extension ValueCoding<Int64> {
    static let int64 = Self(put: { g_value_set_int64($0, gint64($1)) }, take: { Int64(g_value_get_int64($0)) })
}

extension ValueCoding<UInt64> {
    static let uint64 = Self(put: { g_value_set_uint64($0, guint64($1)) }, take: { UInt64(g_value_get_uint64($0)) })
}

extension ValueCoding<Float> {
    static let float = Self(put: { g_value_set_float($0, $1) }, take: { number(g_value_get_float($0)) })
}

extension ValueCoding<Double> {
    static let double = Self(put: { g_value_set_double($0, $1) }, take: { number(g_value_get_double($0)) })
}

extension ValueCoding<Structure.Fraction> {
    static let fraction = Self(
        put: { gst_value_set_fraction($0, $1.numerator, $1.denominator) }, take: { Structure.Fraction($0) })
}

extension ValueCoding<String?> {
    static let text = Self(put: { g_value_set_string($0, $1) }, take: { .some(copyText(of: $0)) })
}

extension ValueCoding<Structure> {
    /// `take` returns nil, because a structure property is read-only.
    static let structure = Self(put: { g_value_take_boxed($0, $1.makeRaw()) }, take: { _ in nil })
}

/// The string in `value`; invalid UTF-8 is repaired.
func copyText(of value: UnsafePointer<GValue>) -> String? { g_value_get_string(value).map { String(cString: $0) } }

private func number<Number: BinaryFloatingPoint>(_ value: Number) -> Number? { value.isNaN ? nil : value }
