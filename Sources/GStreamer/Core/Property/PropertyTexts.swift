import CGStreamer

extension Property {
    /// A text, or none.
    public static func string(
        _ name: String, _ blurb: String, flags: PropertyFlags = .anyTime,
        get: @escaping @Sendable (Settings) -> String?, set: @escaping @Sendable (inout Settings, String?) -> Void
    ) -> Self {
        stored(name, flags, as: .text, get: get, set: set) { g_param_spec_string(name, name, blurb, $0, $1) }
    }

    /// A text, or none.
    public static func string(
        _ name: String, _ field: Field<String?>, _ blurb: String, flags: PropertyFlags = .anyTime
    ) -> Self {
        string(name, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A text that has to be understood before it changes anything: the path of a file to load, say.
    ///
    /// `parse` runs on the thread that sets the property, outside the settings' lock, so it may take its time; the
    /// update it returns is applied under the lock. When it throws, the settings stay as they were. The error is
    /// posted at once in PAUSED and PLAYING, as a warning, since the stream continues; and it makes every later start
    /// fail, until the property is set to something that can be used. When it succeeds, all properties whose value
    /// changed with it are notified, and its warning is posted: at once in PAUSED and PLAYING, else at the start.
    public static func string(
        _ name: String, _ blurb: String, flags: PropertyFlags = .anyTime,
        get: @escaping @Sendable (Settings) -> String?,
        parse: @escaping @Sendable (String?) throws(ElementError) -> Update
    ) -> Self {
        string(
            name, blurb, flags: flags, get: get,
            parseWithWarning: { text throws(ElementError) in Parsed(try parse(text)) })
    }

    /// The same, for a text that may be used although something about it is wrong.
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

    /// Read-only facts, worked out from the settings.
    public static func structure(
        _ name: String, _ blurb: String, get: @escaping @Sendable (Settings) -> Structure
    ) -> Self {
        stored(name, .readOnly, as: .structure, get: get, set: { _, _ in }) {
            g_param_spec_boxed(name, name, blurb, gst_structure_get_type(), $1)
        }
    }
}

// MARK: - From the element's report

extension Property {
    /// Read-only facts about the running element.
    public static func structure(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Structure
    ) -> Self {
        Self.reported(name, as: .structure, get: reported) {
            g_param_spec_boxed(name, name, blurb, gst_structure_get_type(), $0)
        }
    }

    /// A read-only state of the running element.
    public static func bool(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Bool
    ) -> Self {
        Self.reported(name, as: .bool, get: reported) { g_param_spec_boolean(name, name, blurb, 0, $0) }
    }

    /// A read-only level kept by the running element.
    public static func uint32(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> UInt32
    ) -> Self {
        Self.reported(name, as: .uint32, get: reported) { g_param_spec_uint(name, name, blurb, 0, .max, 0, $0) }
    }

    /// A read-only count kept by the running element.
    public static func uint64(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> UInt64
    ) -> Self {
        Self.reported(name, as: .uint64, get: reported) {
            g_param_spec_uint64(name, name, blurb, 0, .max, 0, $0)
        }
    }

    /// A read-only number kept by the running element.
    public static func double(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> Double
    ) -> Self {
        Self.reported(name, as: .double, get: reported) {
            g_param_spec_double(
                name, name, blurb, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, $0)
        }
    }

    /// A read-only text about the running element.
    public static func string(
        _ name: String, _ blurb: String, reported: @escaping @Sendable (Settings.Report) -> String?
    ) -> Self {
        Self.reported(name, as: .text, get: reported) { g_param_spec_string(name, name, blurb, nil, $0) }
    }
}
