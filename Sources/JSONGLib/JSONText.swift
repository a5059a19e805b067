internal import CJSONGLib
public import JSON

/// Conversion between JSON texts and values by json-glib.
///
/// json-glib 1.6 recurses into nested values, aborts at an unpaired surrogate, cuts strings at U+0000, and accepts
/// comments and other extensions. `JSONGuard` rejects such texts before json-glib reads them.
public enum JSONText {
    /// Parses a text of a peer that is not trusted.
    ///
    /// No input traps.
    ///
    /// An integer beyond 64 bits becomes the nearest floating-point number. Of members with the same name, the last one
    /// remains.
    public static func parse(_ text: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONValue {
        var checker = JSONGuard(text, limits: limits)
        let checked = try checker.checkedText()
        let parser = json_parser_new_immutable()
        defer { g_object_unref(parser) }
        var error: UnsafeMutablePointer<GError>?
        let isParsed = checked.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                json_parser_load_from_data(parser, $0.baseAddress, gssize($0.count), &error)
            }
        }
        guard isParsed != 0, let root = json_parser_get_root(parser) else {
            defer { g_clear_error(&error) }
            throw .malformed(error.map { String(cString: $0.pointee.message) } ?? "there is no value")
        }
        return try value(of: root)
    }

    /// Returns the value as a compact text.
    ///
    /// json-glib would write `1e+98` as `1e+98.0`, which is no JSON.
    public static func text(of value: JSONValue) -> [UInt8] { Array(value.text().utf8) }
}
