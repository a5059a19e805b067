import JSON
import Testing

@testable import JSONGLib

@Suite struct JSONTextTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONText.parse(Array(text.utf8)) }

    @Test(arguments: [
        #"{"type":"server/time","payload":{"client_transmitted":-9007199254740993,"x":[1,2.5,true,null,"\u00e4\ud83d\ude00"]}}"#,
        #"[]"#, #"{}"#, #""text""#, "0", "-0.5", "1.0e+30", "[[[1]]]", "\t[ 1 ,\n2 ]\r ", #"{"":{"a":1}}"#,
        "9223372036854775807", "-9223372036854775807", "1e5", "1E-2", "0e0", "[0.0]", #""\b\f\n\r\t\/\\\"""#,
    ]) func agreesWithTheReaderOfThePackage(text: String) throws {
        let expected = try JSONValue(parsing: Array(text.utf8))
        #expect(same(try parse(text), expected))
    }

    /// Numbers compare by value: json-glib does not keep the digits.
    private func same(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.number(let a), .number(let b)): a.double == b.double && a.integer == b.integer
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
        case (.object(let a), .object(let b)):
            a.members.map(\.name) == b.members.map(\.name)
                && zip(a.members, b.members).allSatisfy { same($0.value, $1.value) }
        default: one == other
        }
    }

    @Test(arguments: [
        ("", "empty"), ("  ", "empty"), ("{} {}", "after"), ("1 2", "after"), ("[1],", "after"), ("[1", ""),
        ("[1}", ""),
        ("{1:2}", ""), ("[1,]", ""), ("{\"a\" 1}", ""), ("]", "bracket"), ("'a'", "missing"), ("var x = 1", "missing"),
        ("/* */ 1", "missing"), ("// x\n1", "missing"), ("NaN", "missing"), ("Infinity", "missing"),
        ("[nulls]", "missing"),
        ("01", "number"), ("+1", "missing"), ("1.", "number"), (".5", "missing"), ("0x10", "number"), ("1e", "number"),
        ("- 1", "number"), ("\"\u{1}\"", "control"), ("\"a", "quotation"), (#""\x""#, "escape"),
        (#""\u12""#, "code point"),
        (#""\ud800""#, "unpaired"), (#""\ud800\u0041""#, "unpaired"), (#""\udc00""#, "unpaired"),
        (#""\ud800\ud800""#, "unpaired"), (#""\u0000""#, "U+0000"), ("1e999", "range"), ("[-1e999]", "range"),
    ]) func rejectsWhatIsNotJSON(text: String, reason: String) {
        let error = #expect(throws: JSONFault.self) { try parse(text) }
        let description = error?.description ?? ""
        #expect(reason.isEmpty || description.contains(reason), "\(description)")
    }

    @Test func limitsLengthDepthAndEncodingBeforeParsing() {
        let limits = JSONLimits(byteCount: 100, depth: 4)
        #expect(throws: JSONFault.tooDeep(limit: 4)) { try JSONText.parse(Array("[[[[[]]]]]".utf8), limits: limits) }
        #expect(throws: Never.self) { try JSONText.parse(Array("[[[[]]]]".utf8), limits: limits) }
        #expect(throws: JSONFault.tooLong(byteCount: 101, limit: 100)) {
            try JSONText.parse([UInt8](repeating: 0x20, count: 101), limits: limits)
        }
        #expect(throws: JSONFault.notUTF8) { try JSONText.parse([0x22, 0xC3, 0x28, 0x22]) }
        #expect(throws: JSONFault.notUTF8) { try JSONText.parse([0x22, 0xED, 0xA0, 0x80, 0x22]) }
        // Without the limit, json-glib would overflow its stack.
        #expect(throws: JSONFault.tooDeep(limit: 64)) { try JSONText.parse([UInt8](repeating: 0x5B, count: 900_000)) }
    }

    @Test func integersBeyond64BitsAreFloatingPoint() throws {
        for text in ["9223372036854775808", "-9223372036854775808", "123456789012345678901234567890"] {
            guard case .number(let number) = try parse(text) else {
                Issue.record("no number")
                return
            }
            #expect(number.double == Double(text))
            #expect(number.integer == nil)
        }
    }

    @Test func lastMemberOfEqualNamesRemains() throws {
        guard case .object(let object) = try parse(#"{"a":1,"b":2,"a":3}"#) else {
            Issue.record("no object")
            return
        }
        #expect(object["a"] == .number(JSONNumber(3)))
        #expect(object["b"] == .number(JSONNumber(2)))
    }

    @Test(arguments: [
        #"{"a":[1,-2,2.5,true,false,null,"x\"\\\u0001\n"],"b":{}}"#, "[]", #""ä😀""#, "9223372036854775807",
        "[1e98,-2.5e-300]",
    ]) func writtenTextsParseToTheSameValue(text: String) throws {
        let value = try parse(text)
        #expect(try JSONText.parse(JSONText.text(of: value)) == value)
    }

    /// json-glib aborts the process at some of these texts, were they not rejected before.
    @Test func mutatedTextsNeverTrap() {
        let seeds = [
            #"{"type":"stream/start","payload":{"player":{"codec":"flac","sample_rate":48000,"codec_header":"ZkxhQw=="}}}"#,
            #"{"a":"\ud83d\ude00\u00e4","b":[1,-2.5e3,true,null,{"c":[[]]}]}"#,
        ].map { Array($0.utf8) }
        let pieces = [#"\u"#, #"\ud800"#, "[", "]", "{", "}", "\"", ",", ":", "1e9", "-", "null", "/*", "'", "\0"]
        var random = SplitMix(state: 7)
        var accepted = 0
        for _ in 0..<40_000 {
            var text = seeds[random.below(seeds.count)]
            for _ in 0...random.below(3) {
                let place = random.below(text.count)
                switch random.below(4) {
                case 0: text[place] = UInt8(random.below(256))
                case 1: text.removeSubrange(place..<min(text.count, place + 1 + random.below(8)))
                case 2: text.insert(contentsOf: Array(pieces[random.below(pieces.count)].utf8), at: place)
                default: text[place] ^= 1 << UInt8(random.below(8))
                }
                if text.isEmpty { text = [0x20] }
            }
            if let value = try? JSONText.parse(text) {
                accepted += 1
                #expect((try? JSONText.parse(JSONText.text(of: value))) == value)
            }
        }
        #expect(accepted > 1000)
    }
}

/// Seeded random numbers (SplitMix64).
struct SplitMix {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(limit))
    }
}
