import CGStreamer

/// A named list of typed fields, as element messages and statistics carry it.
///
/// The corresponding C type is `GstStructure`.
public struct Structure: Sendable, Equatable {
    /// The value of a field.
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
        /// `GST_TYPE_FRACTION`: a numerator and a denominator.
        case fraction(Int32, Int32)
        /// `GST_TYPE_STRUCTURE`.
        indirect case structure(Structure)
        /// `GstCaps`, as `gst-launch-1.0` writes them.
        case caps(String)

        /// `GstClockTime`, a `G_TYPE_UINT64` in nanoseconds; a negative duration is 0.
        public static func duration(_ duration: Duration) -> Self { .uint64(UInt64(nanosecondsOf: duration)) }
    }

    /// One field.
    public struct Field: Sendable, Equatable {
        /// The name of the field.
        public let name: String
        /// The value of the field.
        public let value: Value
    }

    /// Letters, digits and `/-_.:+`, beginning with a letter.
    public let name: String
    /// The fields, in the order they were given.
    public private(set) var fields: [Field]

    /// A structure with these fields.
    public init(_ name: String, _ fields: KeyValuePairs<String, Value> = [:]) {
        self.name = name
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// The field `name`; setting it to nil takes it out.
    public subscript(name: String) -> Value? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index] = Field(name: name, value: value)
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// A new `GstStructure` that belongs to the caller, or nil when `name` is not one GStreamer allows.
    func makeRaw() -> UnsafeMutablePointer<GstStructure>? {
        guard Self.isValid(name), let raw = gst_structure_new_empty(name) else { return nil }
        for field in fields { field.value.store(in: raw, as: field.name) }
        return raw
    }

    private static func isValid(_ name: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
        }
        func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || "/-_.:+".utf8.contains($0) }
    }
}

extension Structure {
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
        /// `GST_TYPE_STRUCTURE`.
        case structure
        /// `GST_TYPE_CAPS`.
        case caps

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
            case .structure: gst_structure_get_type()
            case .caps: gst_caps_get_type()
            }
        }
    }

    /// Copies a C structure; fields of other kinds become text, as `gst_value_serialize` writes them.
    init(_ raw: UnsafePointer<GstStructure>) {
        name = String(cString: gst_structure_get_name(raw))
        fields = (0..<max(0, gst_structure_n_fields(raw))).compactMap { index in
            guard let name = gst_structure_nth_field_name(raw, guint(index)),
                let value = gst_structure_get_value(raw, name).flatMap({ Value($0) })
            else { return nil }
            return Field(name: String(cString: name), value: value)
        }
    }
}

extension Structure.Value {
    /// The kind of the value.
    public var kind: Structure.Kind {
        switch self {
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .fraction: .fraction
        case .structure: .structure
        case .caps: .caps
        }
    }

    /// Nil for NULL.
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
        case gst_fraction_get_type():
            self = .fraction(gst_value_get_fraction_numerator(value), gst_value_get_fraction_denominator(value))
        case gst_structure_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .structure(Structure(raw.assumingMemoryBound(to: GstStructure.self)))
        case gst_caps_get_type():
            guard let raw = g_value_get_boxed(value) else { return nil }
            self = .caps(Caps(raw.assumingMemoryBound(to: GstCaps.self)).description)
        default:
            guard let text = gst_value_serialize(value) else { return nil }
            defer { g_free(text) }
            self = .string(String(cString: text))
        }
    }

    /// A new value that the caller unsets; nil when C has no such value.
    func makeValue() -> GValue? {
        var value = GValue()
        switch self {
        case .bool(let bool):
            g_value_init(&value, cgst_type_boolean())
            g_value_set_boolean(&value, bool ? 1 : 0)
        case .int(let int):
            g_value_init(&value, cgst_type_int())
            g_value_set_int(&value, int)
        case .uint(let uint):
            g_value_init(&value, cgst_type_uint())
            g_value_set_uint(&value, uint)
        case .int64(let int64):
            g_value_init(&value, cgst_type_int64())
            g_value_set_int64(&value, gint64(int64))
        case .uint64(let uint64):
            g_value_init(&value, cgst_type_uint64())
            g_value_set_uint64(&value, guint64(uint64))
        case .double(let double):
            g_value_init(&value, cgst_type_double())
            g_value_set_double(&value, double)
        case .string(let string):
            g_value_init(&value, cgst_type_string())
            g_value_set_string(&value, string)
        case .fraction(let numerator, let denominator):
            // GStreamer has no fraction over 0, and cannot turn the sign of the lowest integer.
            guard denominator != 0, numerator != .min, denominator != .min else { return nil }
            g_value_init(&value, gst_fraction_get_type())
            gst_value_set_fraction(&value, numerator, denominator)
        case .structure(let structure):
            guard let nested = structure.makeRaw() else { return nil }
            g_value_init(&value, gst_structure_get_type())
            g_value_take_boxed(&value, nested)
        case .caps(let text):
            guard let caps = gst_caps_from_string(text) else { return nil }
            g_value_init(&value, gst_caps_get_type())
            g_value_take_boxed(&value, caps)
        }
        return value
    }

    fileprivate func store(in raw: UnsafeMutablePointer<GstStructure>, as name: String) {
        guard var value = makeValue() else { return }
        gst_structure_take_value(raw, name, &value)
    }
}
