// The one file with a library behind it: reading JSON well is more than a page of code.
private import FoundationEssentials
private import Synchronization

/// A JSON object whose own values count, while those inside nested objects and arrays do not.
struct JSONObject {
    /// Far above any preset, far below what would keep an application waiting.
    static let maximumByteCount = 1_000_000
    private static let expectation = "one JSON object, as in { \"version\": 1 }"

    private var values: [String: JSONValue] = [:]

    /// Nil for a key that is missing, and for one that holds an object or an array: presets are flat.
    subscript(key: String) -> JSONValue? {
        let value = values[key]
        return value == .nested ? nil : value
    }

    /// The keys of the object itself, in alphabetical order.
    var keys: [String] { values.keys.sorted() }

    init(_ text: [UInt8]) throws(PresetError) {
        // Some editors put a byte order mark in front; it says nothing.
        let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        try Self.checkEncoding(of: bytes)
        let decoder = JSONDecoder()
        let seen = SeenKeys()
        let knownKeys = Set(SettingRow.all.map(\.key) + ["version"])
        // JSONDecoder keeps the first of two equal keys in silence; this closure is shown both.
        decoder.keyDecodingStrategy = .custom { path in
            let key = path[path.count - 1]
            if path.count == 1, knownKeys.contains(key.stringValue) { seen.add(key.stringValue) }
            return key
        }
        do {
            self = try decoder.decode(JSONObject.self, from: Data(bytes))
        } catch DecodingError.typeMismatch {
            throw PresetError(key: nil, expected: Self.expectation, found: "another JSON value")
        } catch {
            // Where the fault lies, JSONDecoder does not tell.
            throw PresetError(key: nil, expected: Self.expectation, found: "not valid JSON")
        }
        if let key = seen.repeated { throw PresetError(key: key, expected: "given once", found: "given twice") }
    }

    /// Refuses what JSONDecoder would take without need: very long text, UTF-16.
    private static func checkEncoding(of bytes: [UInt8]) throws(PresetError) {
        guard bytes.count <= maximumByteCount else {
            throw PresetError(
                key: nil, expected: "at most \(maximumByteCount) bytes long", found: "\(bytes.count) bytes long")
        }
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            throw PresetError(key: nil, expected: Self.expectation, found: "empty")
        }
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw PresetError(key: nil, expected: "UTF-8 text", found: "in another encoding")
        }
    }
}

extension JSONObject: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in container.allKeys {
            values[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else {
            do {
                let double = try container.decode(Double.self)
                // Beyond the range of a Float its reading fails; the Double then rounds to infinity or zero.
                self = .number(double: double, single: (try? container.decode(Float.self)) ?? Float(double))
            } catch DecodingError.typeMismatch {
                self = (try? container.decode(String.self)).map(JSONValue.string) ?? .nested
            } catch {
                self = .unreadable
            }
        }
    }
}

/// The keys met so far; behind a lock only because JSONDecoder asks for a closure that could run anywhere.
private final class SeenKeys: Sendable {
    private let state = Mutex<(all: Set<String>, repeated: String?)>(([], nil))

    var repeated: String? { state.withLock { $0.repeated } }

    func add(_ key: String) {
        state.withLock { if !$0.all.insert(key).inserted { $0.repeated = key } }
    }
}
