import CGStreamer

/// A named list of typed fields, as element messages and statistics carry it.
///
/// The corresponding C type is `GstStructure`.
public struct Structure: Sendable, Equatable {
    /// What a field can hold.
    public enum Value: Sendable, Equatable {
        case bool(Bool)
        case int(Int32)
        case uint(UInt32)
        case int64(Int64)
        case uint64(UInt64)
        case double(Double)
        case string(String)
        case fraction(Int32, Int32)
        indirect case structure(Structure)
        /// `GstCaps`, as `gst-launch-1.0` writes them.
        case caps(String)
    }

    /// One field.
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: Value
    }

    /// Letters, digits and `/-_.:+`, beginning with a letter.
    public let name: String
    /// The fields, in the order they were given.
    public private(set) var fields: [Field]

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

extension Structure.Value {
    fileprivate func store(in raw: UnsafeMutablePointer<GstStructure>, as name: String) {
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
            guard denominator != 0, numerator != .min, denominator != .min else { return }
            g_value_init(&value, gst_fraction_get_type())
            gst_value_set_fraction(&value, numerator, denominator)
        case .structure(let structure):
            guard let nested = structure.makeRaw() else { return }
            g_value_init(&value, gst_structure_get_type())
            g_value_take_boxed(&value, nested)
        case .caps(let text):
            guard let caps = gst_caps_from_string(text) else { return }
            g_value_init(&value, gst_caps_get_type())
            g_value_take_boxed(&value, caps)
        }
        gst_structure_take_value(raw, name, &value)
    }
}
