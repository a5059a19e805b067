import TestSupport
import Foundation
import JSON
import Testing

/// Compares the parser with Foundation's `JSONSerialization`.
struct JSONAgreementTests {
    /// Tests that both parsers accept the same mutated texts, with the same values.
    ///
    /// Mutations replace, change or repeat a few bytes.
    @Test func acceptsWhatFoundationAccepts() throws {
        let seed = Array(
            #"{"a":[1,-0.5e+3,[],{}],"b\u00e9\n":{"c":true,"d":null},"é":"\ud83d\ude00 \\ \"","n":12.25E-2,"f":false}"#
                .utf8)
        let tokens = [
            "true", "nul", "-", "0", "01", "1e5", ".", "{", "}", "[", "]", "\"", ",", ":", "\\u00e9", "\\ud800", "\\",
            " ", "\n", "\t", "\u{1}", "é", "1.0",
        ]
        var generator = Random(seed: 8259)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0...Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0..<6, using: &generator))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.replaceSubrange(start..<end, with: tokens.randomElement(using: &generator)!.utf8)
                case 1: bytes[start] = UInt8.random(in: 1...255, using: &generator)
                default: bytes.replaceSubrange(start..<end, with: bytes[start..<end] + bytes[start..<end])
                }
            }
            let value = try? JSONValue(parsing: bytes)
            let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            let text = String(decoding: bytes, as: UTF8.self)
            // Unlike RFC 8259, Foundation on Linux accepts trailing commas in arrays, but no numbers beyond `Double`.
            guard !text.contains(#/,\s*\]|[eE][-+]?\d{3}/#) else { continue }
            #expect((value == nil) == (theirs == nil), "\(text)")
            guard let value, let theirs else { continue }
            accepted += 1
            #expect(agree(value, theirs), "\(text)")
            #expect(try JSONValue(parsing: Array(value.text(.pretty).utf8)) == value, "\(text)")
        }
        #expect(accepted > 500 && accepted < 19_500)
    }

    private func agree(_ value: JSONValue, _ theirs: Any) -> Bool {
        switch value {
        case .null: return theirs is NSNull
        case .bool(let value): return theirs as? Bool == value
        case .number(let number): return (theirs as? NSNumber)?.doubleValue == number.double
        case .string(let string): return theirs as? String == string
        case .array(let elements):
            guard let theirs = theirs as? [Any] else { return false }
            return theirs.count == elements.count && zip(elements, theirs).allSatisfy { agree($0, $1) }
        case .object(let object):
            // If several members have the same name, each parser uses another of these members.
            guard let theirs = theirs as? [String: Any] else { return false }
            return !object.repeatedNames.isEmpty
                || theirs.count == object.members.count
                    && object.members.allSatisfy { member in
                        theirs[member.name].map { agree(member.value, $0) } ?? false
                    }
        }
    }
}
