import JSON
import TestSupport

/// Seeded random numbers and mutations of messages.
package struct Mutations: RandomNumberGenerator, Sendable {
    private var random: Random

    package init(seed: UInt64) { random = Random(seed: seed) }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 { random.next() }

    /// A random number from 0 to `limit` (exclusive).
    package mutating func below(_ limit: Int) -> Int { random.below(limit) }

    /// Changes, removes, repeats or inserts bytes at random.
    package mutating func bytes(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...below(3) {
            let place = below(bytes.count + 1)
            let end = min(bytes.count, place + 1 + below(16))
            switch below(6) {
            case 0 where !bytes.isEmpty: bytes[place % bytes.count] ^= 1 << UInt8(below(8))
            case 1 where !bytes.isEmpty: bytes[place % bytes.count] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x5B][below(8)]
            case 2: bytes.removeSubrange(min(place, end)..<end)
            case 3: bytes.insert(contentsOf: bytes[min(place, end)..<end], at: place)
            case 4: bytes = Array(bytes.prefix(place))
            default: bytes.insert(contentsOf: (0...below(8)).map { _ in UInt8(truncatingIfNeeded: next()) }, at: place)
            }
        }
        return bytes
    }

    /// Replaces or removes a value inside a JSON value, so that the result is still JSON.
    package mutating func value(_ original: JSONValue) -> JSONValue {
        switch original {
        case .object(let object) where !object.members.isEmpty && below(8) != 0:
            let place = below(object.members.count)
            var result = JSONObject()
            for (index, member) in object.members.enumerated() {
                guard index == place else {
                    result.append(member.name, member.value)
                    continue
                }
                switch below(10) {
                case 0: break
                case 1: result.append(member.name + "x", member.value)
                case 2:
                    result.append(member.name, odd())
                    result.append(member.name, member.value)
                default: result.append(member.name, value(member.value))
                }
            }
            return .object(result)
        case .array(var elements) where !elements.isEmpty && below(8) != 0:
            let place = below(elements.count)
            switch below(6) {
            case 0: elements.remove(at: place)
            case 1: elements = Array(repeating: elements[place], count: 1 + below(70))
            default: elements[place] = value(elements[place])
            }
            return .array(elements)
        default: return odd()
        }
    }

    private mutating func odd() -> JSONValue {
        switch below(12) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .string("")
        case 3: .string(String(repeating: "é\"\\\u{1}", count: below(200)))
        case 4: .array([])
        case 5: .array([.object([:]), .array([.null])])
        case 6: .object([:])
        case 7: .number(JSONNumber(Double(below(1000)) * 1e300) ?? JSONNumber(0))
        case 8: .number(JSONNumber([Int64.min, .max, -1, 0, 1, 1 << 53, 1 << 32][below(7)]))
        case 9: .number(JSONNumber(Int64(truncatingIfNeeded: next())))
        case 10: .number(JSONNumber(Double(below(1000)) / 7) ?? JSONNumber(0))
        default: .string(["playback", "pairing", "player", "flac", "pcm", "volume", "mute", "none"][below(8)])
        }
    }
}
