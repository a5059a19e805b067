import TestSupport
import JSON
import SendspinProtocol
import WebSocket

/// Generates hostile messages, which are the same for the same seed.
package struct AttackGenerator: Sendable {
    var dice: Random
    /// Number of generated attacks.
    private(set) var count = 0

    package init(seed: UInt64) { dice = Random(seed: seed) }

    package enum Kind: CaseIterable, Sendable {
        /// Valid messages at any time and in any order.
        case wrongOrder
        /// Valid JSON messages with values of wrong types and ranges, and missing fields.
        case wrongValues
        /// Texts of valid messages with changed bytes.
        case brokenText
        /// Binary messages of random types, with random lengths up to twice that of the header.
        case wrongLengths
        /// Fragments in a wrong order, with wrong flags, or without a last fragment.
        case fragments
        /// Random bytes.
        case noise
        /// Deeply nested and very long texts.
        case excess
        /// Streams whose codec header has up to 2 MB.
        case headers
        /// Another format for each chunk of audio.
        case formats
    }

    /// The next attack of a kind.
    package mutating func next(_ kind: Kind) -> Attack {
        count += 1
        return switch kind {
        case .wrongOrder: .json(valid().bytes)
        case .wrongValues: .json(spoiled(valid()).bytes)
        case .brokenText: .json(brokenText())
        case .wrongLengths: .plaintext([UInt8.random(in: 0...30, using: &dice)] + randomBytes(0...28))
        case .fragments: .plaintext(fragment())
        case .noise: .plaintext(randomBytes(0...300))
        case .excess: .json(excess())
        case .headers: .json(longHeader())
        case .formats: formatOrChunk()
        }
    }

    /// A valid message of a random type.
    private mutating func valid() -> JSONValue { Self.messages.randomElement(using: &dice)?.json ?? .null }

    private mutating func brokenText() -> [UInt8] {
        var text = valid().bytes
        for _ in 0..<Int.random(in: 1...5, using: &dice) where !text.isEmpty {
            let place = Int.random(in: text.indices, using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: text[place] = UInt8.random(in: .min ... .max, using: &dice)
            case 1: text.remove(at: place)
            case 2: text.insert(UInt8.random(in: .min ... .max, using: &dice), at: place)
            default: text = Array(text.prefix(place))
            }
        }
        return text
    }

    private mutating func fragment() -> [UInt8] {
        let flags = UInt8.random(in: 0...7, using: &dice)
        let type: [UInt8] = (flags & 2) != 0 ? [[0, 1, 2, 4, 8, 24].randomElement(using: &dice) ?? 0] : []
        let size = Bool.random(using: &dice) ? 0...20 : 60_000...65_515
        return [BinaryType.fragment, flags] + type + randomBytes(size)
    }

    private mutating func excess() -> [UInt8] {
        let depth = Int.random(in: 1...40_000, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: return Array(String(repeating: "[", count: depth).utf8)
        case 1:
            let inner = String(repeating: "{\"payload\":", count: depth) + "1" + String(repeating: "}", count: depth)
            return Array(inner.utf8)
        default:
            let text = String(repeating: "x", count: depth)
            return Array(#"{"type":"group/update","payload":{"group_id":"\#(text)","group_name":"\#(text)"}}"#.utf8)
        }
    }

    private mutating func randomBytes(_ count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &dice)).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
    }

    /// Replaces or removes values at random places.
    private mutating func spoiled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object.members {
                // Keep the type of the message, so that the client parses the payload.
                if name == "type" { result.append(name, value) } else { spoil(name, value, into: &result) }
            }
            return .object(result)
        case .array(let elements): return .array(elements.map { spoiled($0) })
        default: return Int.random(in: 0..<3, using: &dice) == 0 ? strange() : value
        }
    }

    private mutating func spoil(_ name: String, _ value: JSONValue, into object: inout JSONObject) {
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: break
        case 1: object.append(name, strange())
        case 2:
            object.append(name, value)
            object.append(name, strange())
        case 3: object.append(name + "\u{0}", value)
        default: object.append(name, spoiled(value))
        }
    }

    private mutating func strange() -> JSONValue {
        let long = String(repeating: "🙂", count: 2_000)
        let numbers = [
            "-1", "0", "1e999", "1.5", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
        ]
        let values: [JSONValue] = [
            .null, .bool(true), .string(""), .string(long), .string("\u{1}\u{0}"), .array([]), .object([:]),
            .array(Array(repeating: .null, count: 500)),
        ]
        guard Bool.random(using: &dice), let text = numbers.randomElement(using: &dice) else {
            return values.randomElement(using: &dice) ?? .null
        }
        return (try? JSONValue(parsing: Array(text.utf8))) ?? .null
    }
}
