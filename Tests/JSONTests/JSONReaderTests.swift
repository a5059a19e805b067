import JSON
import Testing

struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private func number(_ text: String) throws -> JSONNumber {
        guard case .number(let number) = try read(text) else { throw Missing() }
        return number
    }

    private struct Missing: Error {}

    @Test func readsEachKindOfValue() throws {
        let text = " {\"a\" : [ ], \"b\":{},\r\n\t\"c\":[null,true , false,-1.5e+3,\"x\"]} "
        #expect(
            try read(text)
                == .object([
                    "a": .array([]), "b": .object([:]),
                    "c": .array([.null, .bool(true), .bool(false), .number(number("-1.5e+3")), .string("x")]),
                ]))
        #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + "1".utf8) == .number(JSONNumber(1)))
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC\ud83d\ude00""#, "é€😀"),
        (#""a\u0000b""#, "a\u{0}b"), (#""é€😀\u007f""#, "é€😀\u{7F}"), (#""""#, ""),
        (#""\ufeff\uffff""#, "\u{FEFF}\u{FFFF}"),
    ])
    func decodesEscapes(text: String, string: String) throws {
        guard case .string(let read) = try read(text) else { throw Missing() }
        #expect(Array(read.unicodeScalars) == Array(string.unicodeScalars))
    }

    /// If the first number was converted to `Double` first, it would be rounded twice, and the result would be 1.
    @Test func numberIsRoundedOnceForEachType() throws {
        #expect(try number("1.000000059604644775390626").single == Float(1).nextUp)
        #expect(try number("0.1").double == 0.1)
        #expect(try number("9007199254740993").integer == 9_007_199_254_740_993)
        #expect(try number("-9223372036854775808").integer == .min)
        #expect(try number("3.0").integer == 3)
        #expect(try number("3e2").integer == 300)
    }

    @Test func numberOutOfRangeIsNil() throws {
        #expect(try number("1e999").double == nil)
        #expect(try number("-1e999").single == nil)
        #expect(try number("1e39").single == nil)
        #expect(try number("1e-999").double == 0)
        for text in ["9223372036854775808", "-9223372036854775809", "1e19", "0.5", "1e999"] {
            #expect(try number(text).integer == nil, "\(text)")
        }
        #expect(try number(String(repeating: "9", count: 900_000)).double == nil)
        #expect(try number("0." + String(repeating: "0", count: 900_000) + "1").double == 0)
    }

    @Test func subscriptReturnsLastOfRepeatedMembers() throws {
        guard case .object(let object) = try read(#"{"a":1,"b":2,"a":3,"a":4}"#) else { throw Missing() }
        #expect(object["a"] == .number(JSONNumber(4)))
        #expect(object.repeatedNames == ["a", "a"])
        #expect(object.members.map(\.name) == ["a", "b", "a", "a"])
        #expect(object["c"] == nil)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text is empty"), (" \n", "line 2, column 1: the text is empty"),
        ("{\"a\": 1\n \"b\": 2}", #"line 2, column 2: a comma or "}" is missing"#),
        ("[1 2]", #"line 1, column 4: a comma or "]" is missing"#), ("[1,]", "line 1, column 4: a value is missing"),
        ("{\"a\":1,}", "line 1, column 8: a name in quotation marks is missing"),
        ("{'a':1}", "line 1, column 2: a name in quotation marks is missing"),
        ("{\"a\" 1}", "line 1, column 6: a colon is missing"),
        ("{\"é😀\":01}", "line 1, column 7: a number is malformed"),
        ("[\n-]", "line 2, column 1: a number is malformed"), ("1.", "line 1, column 1: a number is malformed"),
        ("1e+", "line 1, column 1: a number is malformed"), ("-.5", "line 1, column 1: a number is malformed"),
        (".5", "line 1, column 1: a value is missing"), ("+1", "line 1, column 1: a value is missing"),
        ("NaN", "line 1, column 1: a value is missing"), ("[-Infinity]", "line 1, column 2: a number is malformed"),
        ("0x10", "line 1, column 2: there is text after the value"),
        ("tru", "line 1, column 1: a value is missing"),
        ("1 // one", "line 1, column 3: there is text after the value"),
        ("{} {}", "line 1, column 4: there is text after the value"),
        ("[\"a", "line 1, column 4: a string has no closing quotation mark"),
        ("[\"a\\", "line 1, column 5: a string has no closing quotation mark"),
        ("\"a\nb\"", "line 1, column 3: a control character in a string is not escaped"),
        (#""\x""#, "line 1, column 2: an escape sequence is unknown"),
        (#"" \u12g4""#, #"line 1, column 3: \u is not followed by a code point"#),
        (#""\u123"#, #"line 1, column 2: \u is not followed by a code point"#),
        (#""\ud800""#, #"line 1, column 2: \u is not followed by a code point"#),
        (#""\ud800\ud800""#, #"line 1, column 2: \u is not followed by a code point"#),
        (#""\udc00\ud800""#, #"line 1, column 2: \u is not followed by a code point"#),
        ("[1,\u{0}]", "line 1, column 4: the text is not UTF-8"),
    ])
    func errorDescribesFaultAndPosition(text: String, message: String) {
        #expect(#expect(throws: JSONError.self) { try read(text) }?.description == message)
    }

    @Test func errorContainsPathOfFault() {
        let error = #expect(throws: JSONError.self) { try read(#"{"a":1,"b":[{},{"c":02}]}"#) }
        #expect(error?.path == ["b", "1", "c"])
        #expect(error?.reason == .malformedNumber)
    }

    @Test func otherEncodingsAreRefused() {
        for (bytes, column) in [
            ([0x22, 0x61, 0xFF, 0x22], 3), ([0x22, 0xC0, 0x80, 0x22], 2), ([0x22, 0xED, 0xA0, 0x80], 2),
        ] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes.map { UInt8($0) }) }
            #expect(error?.reason == .notUTF8)
            #expect(error?.column == column)
        }
    }

    @Test func enforcesByteAndDepthLimits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try read(nested(64)) }
        #expect(throws: Never.self) { try read("[" + String(repeating: "[],", count: 1000) + "{}]") }
        for text in [nested(65), nested(400_000), String(repeating: #"{"a":"#, count: 150_000)] {
            #expect(#expect(throws: JSONError.self) { try read(text) }?.reason == .tooDeep(limit: 64))
        }
        let long = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array("[1, 2]".utf8), limits: JSONLimits(byteCount: 5))
        }
        #expect(long?.description == "line 1, column 1: the text is 6 bytes long, but the maximum is 5")
    }
}
