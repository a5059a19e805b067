public import CGStreamer

/// A named list of typed fields, used in caps, messages, events and statistics.
///
/// The corresponding C type is `GstStructure`.
public struct Structure: Sendable, Equatable, CustomStringConvertible {
    /// One field.
    public struct Field: Sendable, Equatable {
        /// The name of the field.
        public let name: String
        /// The value of the field.
        public let value: Value
    }

    /// The name: letters, digits and `/-_.:+`, beginning with a letter.
    public let name: String
    /// The fields, in order.
    public private(set) var fields: [Field]

    /// A structure with these fields.
    public init(_ name: String, _ fields: KeyValuePairs<String, Value> = [:]) {
        self.name = name
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// The name and the fields as GStreamer prints them, such as `swift-peak, peak=(uint)8191;`.
    ///
    /// The corresponding C function is `gst_structure_to_string`.
    public var description: String {
        guard let raw = makeRaw() else { return name }
        defer { gst_structure_free(raw) }
        guard let text = gst_structure_to_string(raw) else { return name }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The value of the field `name`; setting nil removes the field.
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

    /// A new `GstStructure` (transfer full); nil if `name` is not valid.
    func makeRaw() -> UnsafeMutablePointer<GstStructure>? {
        guard hasValidName, let raw = gst_structure_new_empty(name) else { return nil }
        for field in fields {
            // The structure takes ownership of the value.
            if var value = field.value.makeValue() { gst_structure_take_value(raw, field.name, &value) }
        }
        return raw
    }

    var hasValidName: Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
        }
        func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || "/-_.:+".utf8.contains($0) }
    }
}

extension Structure {
    /// Copies a C structure, except fields that are NULL.
    public init(unsafe raw: UnsafePointer<GstStructure>) { self.init(raw) }

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
