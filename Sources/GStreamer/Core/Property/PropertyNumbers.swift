import CGStreamer

// Each kind has two functions: one takes the key path of a field of the settings, the other takes two closures for a
// value that must be converted. GObject rejects a number out of range.

extension Property {
    /// A boolean property.
    public static func bool(
        _ name: String, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Bool, set: @escaping @Sendable (inout Settings, Bool) -> Void
    ) -> Self {
        stored(name, flags, as: .bool, get: get, set: set) {
            g_param_spec_boolean(name, name, blurb, $0 ? 1 : 0, $1)
        }
    }

    /// A boolean property.
    public static func bool(
        _ name: String, _ field: Field<Bool>, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        bool(name, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `gint`.
    public static func int32(
        _ name: String, in range: ClosedRange<Int32> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Int32, set: @escaping @Sendable (inout Settings, Int32) -> Void
    ) -> Self {
        stored(name, flags, as: .int32, get: get, set: set) {
            g_param_spec_int(name, name, blurb, range.lowerBound, range.upperBound, clamped($0, to: range), $1)
        }
    }

    /// A property of type `gint`.
    public static func int32(
        _ name: String, _ field: Field<Int32>, in range: ClosedRange<Int32> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        int32(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `guint`.
    public static func uint32(
        _ name: String, in range: ClosedRange<UInt32> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> UInt32, set: @escaping @Sendable (inout Settings, UInt32) -> Void
    ) -> Self {
        stored(name, flags, as: .uint32, get: get, set: set) {
            g_param_spec_uint(name, name, blurb, range.lowerBound, range.upperBound, clamped($0, to: range), $1)
        }
    }

    /// A property of type `guint`.
    public static func uint32(
        _ name: String, _ field: Field<UInt32>, in range: ClosedRange<UInt32> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        uint32(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `guint` with a field of type `Int`.
    public static func uint32(
        _ name: String, _ field: Field<Int>, in range: ClosedRange<UInt32>, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        uint32(
            name, in: range, blurb, flags: flags, get: { UInt32(clamping: $0[keyPath: field]) },
            set: { $0[keyPath: field] = Int($1) })
    }

    /// A property of type `gint64`.
    public static func int64(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Int64, set: @escaping @Sendable (inout Settings, Int64) -> Void
    ) -> Self {
        stored(name, flags, as: .int64, get: get, set: set) {
            let bounds = (gint64(range.lowerBound), gint64(range.upperBound))
            return g_param_spec_int64(name, name, blurb, bounds.0, bounds.1, gint64(clamped($0, to: range)), $1)
        }
    }

    /// A property of type `gint64`.
    public static func int64(
        _ name: String, _ field: Field<Int64>, in range: ClosedRange<Int64> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        int64(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `guint64`.
    public static func uint64(
        _ name: String, in range: ClosedRange<UInt64> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> UInt64, set: @escaping @Sendable (inout Settings, UInt64) -> Void
    ) -> Self {
        stored(name, flags, as: .uint64, get: get, set: set) {
            let bounds = (guint64(range.lowerBound), guint64(range.upperBound))
            return g_param_spec_uint64(name, name, blurb, bounds.0, bounds.1, guint64(clamped($0, to: range)), $1)
        }
    }

    /// A property of type `guint64`.
    public static func uint64(
        _ name: String, _ field: Field<UInt64>, in range: ClosedRange<UInt64> = .min ... .max, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        uint64(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `gfloat`; NaN is ignored.
    public static func float(
        _ name: String, in range: ClosedRange<Float>, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Float, set: @escaping @Sendable (inout Settings, Float) -> Void
    ) -> Self {
        stored(name, flags, as: .float, get: get, set: set) {
            g_param_spec_float(name, name, blurb, range.lowerBound, range.upperBound, clamped($0, to: range), $1)
        }
    }

    /// A property of type `gfloat`; NaN is ignored.
    public static func float(
        _ name: String, _ field: Field<Float>, in range: ClosedRange<Float>, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        float(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A property of type `GstFraction`, whose denominator is at least 1; GstController cannot animate it.
    public static func fraction(
        _ name: String, from least: Structure.Fraction, to most: Structure.Fraction, _ blurb: String,
        flags: PropertyFlags = .anyTime, get: @escaping @Sendable (Settings) -> Structure.Fraction,
        set: @escaping @Sendable (inout Settings, Structure.Fraction) -> Void
    ) -> Self {
        stored(name, flags, as: .fraction, get: get, set: set) {
            gst_param_spec_fraction(
                name, name, blurb, least.numerator, least.denominator, most.numerator, most.denominator, $0.numerator,
                $0.denominator, $1)
        }
    }

    /// A property of type `gdouble`; NaN is ignored.
    public static func double(
        _ name: String, in range: ClosedRange<Double>, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Double, set: @escaping @Sendable (inout Settings, Double) -> Void
    ) -> Self {
        stored(name, flags, as: .double, get: get, set: set) {
            g_param_spec_double(name, name, blurb, range.lowerBound, range.upperBound, clamped($0, to: range), $1)
        }
    }

    /// A property of type `gdouble`; NaN is ignored.
    public static func double(
        _ name: String, _ field: Field<Double>, in range: ClosedRange<Double>, _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        double(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }
}
