import CGStreamer

extension Property {
    /// A string property.
    public static func string(
        _ name: String, _ blurb: String, flags: PropertyFlags = .anyTime,
        get: @escaping @Sendable (Settings) -> String?, set: @escaping @Sendable (inout Settings, String?) -> Void
    ) -> Self {
        stored(name, flags, as: .text, get: get, set: set) { g_param_spec_string(name, name, blurb, $0, $1) }
    }

    /// A string property.
    public static func string(
        _ name: String, _ field: Field<String?>, _ blurb: String, flags: PropertyFlags = .anyTime
    ) -> Self {
        string(name, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A string property whose value is parsed before it changes settings, such as the path of a file to load.
    ///
    /// `parse` runs on the thread that sets the property, without the mutex of the settings, so `parse` may block; the
    /// returned update is applied with the mutex locked. If `parse` throws, the settings are unchanged. In PAUSED and
    /// PLAYING the error is posted immediately as a warning, because the stream continues. Each later start fails with
    /// this error until the property is set to a valid value. If `parse` succeeds, `notify` is emitted for each
    /// property whose value has changed.
    public static func string(
        _ name: String, _ blurb: String, flags: PropertyFlags = .anyTime,
        get: @escaping @Sendable (Settings) -> String?,
        parse: @escaping @Sendable (String?) throws(ElementError) -> Update
    ) -> Self {
        string(
            name, blurb, flags: flags, get: get,
            parseWithWarning: { text throws(ElementError) in Parsed(try parse(text)) })
    }

    /// A string property whose `parse` may return a warning, posted at once in PAUSED and PLAYING, else at the start.
    public static func string(
        _ name: String, _ blurb: String, flags: PropertyFlags = .anyTime,
        get: @escaping @Sendable (Settings) -> String?,
        parseWithWarning parse: @escaping @Sendable (String?) throws(ElementError) -> Parsed
    ) -> Self {
        Self(
            name: name, flags: flags,
            makeSpec: { g_param_spec_string(name, name, blurb, get($0), flags.raw) },
            read: { settings, _, value in g_value_set_string(value, get(settings)) },
            write: .parse { value throws(ElementError) in try parse(copyText(of: value)) },
            differs: { get($0) != get($1) })
    }

    /// A read-only structure property, derived from the settings.
    public static func structure(
        _ name: String, _ blurb: String, get: @escaping @Sendable (Settings) -> Structure
    ) -> Self {
        stored(name, .readOnly, as: .structure, get: get, set: { _, _ in }) {
            g_param_spec_boxed(name, name, blurb, gst_structure_get_type(), $1)
        }
    }
}

// MARK: - Reported properties

extension Property {
    /// A read-only structure property, derived from the report.
    public static func structure(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Structure
    ) -> Self {
        Self.reported(name, as: .structure, get: reported) {
            g_param_spec_boxed(name, name, blurb, gst_structure_get_type(), $0)
        }
    }

    /// A read-only boolean property, derived from the report.
    public static func bool(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Bool
    ) -> Self {
        Self.reported(name, as: .bool, get: reported) { g_param_spec_boolean(name, name, blurb, 0, $0) }
    }

    /// A read-only property of type `guint`, derived from the report.
    public static func uint32(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> UInt32
    ) -> Self {
        Self.reported(name, as: .uint32, get: reported) { g_param_spec_uint(name, name, blurb, 0, .max, 0, $0) }
    }

    /// A read-only property of type `guint64`, derived from the report.
    public static func uint64(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> UInt64
    ) -> Self {
        Self.reported(name, as: .uint64, get: reported) {
            g_param_spec_uint64(name, name, blurb, 0, .max, 0, $0)
        }
    }

    /// A read-only property of type `gdouble`, derived from the report.
    public static func double(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Double
    ) -> Self {
        Self.reported(name, as: .double, get: reported) {
            g_param_spec_double(
                name, name, blurb, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, $0)
        }
    }

    /// A read-only string property, derived from the report.
    public static func string(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> String?
    ) -> Self {
        Self.reported(name, as: .text, get: reported) { g_param_spec_string(name, name, blurb, nil, $0) }
    }
}
