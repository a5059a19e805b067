internal import JSON

/// The JSON object of a preset; the contents of nested objects and arrays are ignored.
struct PresetObject {
    /// Maximum size in bytes, which is far above that of any preset; parsing takes no noticeable time.
    static let maximumByteCount = 1_000_000
    private static let expectation = "one JSON object, as in { \"version\": 1 }"

    /// Keys of a preset of ntsc-rs.
    static let knownKeys = Set(SettingRow.all.map(\.key) + ["version"])

    private let object: JSONObject

    /// Value of `key`; nil if it is missing, an object or an array.
    subscript(key: String) -> JSONValue? {
        switch object[key] {
        case .array, .object: nil
        case let value: value
        }
    }

    /// Keys of the outermost object, in alphabetical order.
    var keys: [String] { Set(object.members.map { $0.name }).sorted() }

    init(_ text: [UInt8]) throws(PresetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, limits: JSONLimits(byteCount: Self.maximumByteCount))
        } catch {
            throw PresetError(error, expectation: Self.expectation)
        }
        guard case .object(let object) = value else {
            throw PresetError(key: nil, expected: Self.expectation, found: "another kind of JSON value")
        }
        if let key = object.repeatedNames.first(where: Self.knownKeys.contains) {
            throw PresetError(key: key, expected: "given once", found: "given twice")
        }
        self.object = object
    }
}

extension PresetError {
    fileprivate init(_ error: JSONError, expectation: String) {
        switch error.reason {
        case .empty: self.init(key: nil, expected: expectation, found: "empty")
        case .tooLong(let count, let limit):
            self.init(key: nil, expected: "at most \(limit) bytes long", found: "\(count) bytes long")
        case .notUTF8: self.init(key: nil, expected: "UTF-8 text", found: "in another encoding")
        case .malformedNumber where error.path.count == 1:
            let row = SettingRow.all.first { $0.key == error.path[0] }
            self.init(
                key: error.path[0], expected: row?.expectation ?? "a number", found: JSONValue.unreadableNumber)
        default: self.init(key: nil, expected: expectation, found: "not valid JSON (\(error))")
        }
    }
}
