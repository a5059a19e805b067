import JSON
import Testing

struct JSONWriterTests {
    private let value = JSONValue.object([
        "z": .array([.number(JSONNumber(1)), .null, .array([]), .object([:])]),
        "a": .object(["on": .bool(true), "é \"\\\n\u{1}\u{1F}/": .string("\t\r\u{7F}😀")]),
    ])

    @Test func membersKeepTheirOrder() {
        #expect(
            value.text()
                == #"{"z":[1,null,[],{}],"a":{"on":true,"é \"\\\n\u0001\u001f/":"\t\r"# + "\u{7F}😀\"}}")
    }

    @Test func prettyTextHasOneLinePerItem() {
        #expect(
            value.text(.pretty) == """
                {
                  "z": [
                    1,
                    null,
                    [],
                    {}
                  ],
                  "a": {
                    "on": true,
                    "é \\"\\\\\\n\\u0001\\u001f/": "\\t\\r\u{7F}😀"
                  }
                }
                """)
    }

    @Test(arguments: [JSONLayout.compact, .pretty])
    func writtenTextParsesToTheSameValue(layout: JSONLayout) throws {
        let text = value.text(layout)
        let again = try JSONValue(parsing: Array(text.utf8))
        #expect(again == value)
        #expect(again.text(layout) == text)
    }

    @Test func writtenNumbersParseToTheSameValue() throws {
        var random = SystemRandomNumberGenerator()
        let doubles = [0, -0.0, 0.1, 1e-5, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        for double in doubles + (0..<2000).map({ _ in Double(bitPattern: random.next()) }) where double.isFinite {
            let number = try #require(JSONNumber(double))
            let read = try JSONValue(parsing: Array(JSONValue.number(number).text().utf8))
            #expect(read == .number(number))
            #expect(number.double?.bitPattern == double.bitPattern)
        }
        for float in (0..<2000).map({ _ in Float(bitPattern: random.next()) }) where float.isFinite {
            #expect(JSONNumber(float)?.single?.bitPattern == float.bitPattern)
        }
        #expect(JSONNumber(Int64.min).integer == .min)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-Float.infinity) == nil)
    }
}
