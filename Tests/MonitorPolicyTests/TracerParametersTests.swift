import TestSupport
import MonitorPolicy
import Testing

@Suite struct TracerParametersTests {
    @Test func valuesWithCommasAreQuoted() {
        let parameters = TracerParameters(" a=1, b = \"x, y=2\" ,c='', d=(string)\"z\",e=f=g,,'h,i'")
        #expect(parameters.pairs.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(parameters.pairs.map(\.value) == ["1", "x, y=2", "", "z", "f=g"])
        #expect(parameters.faults.count == 1)
        #expect(TracerParameters("").pairs.isEmpty && TracerParameters("").faults.isEmpty)
        #expect(TracerParameters("=1").faults.count == 1 && TracerParameters("a='1").faults.count == 1)
    }

    /// Texts that `gst_structure_to_string` of GStreamer 1.22 writes, and a text without the type of the value.
    @Test(arguments: [
        (#"tracer, targets=(string)"encoder:\ p95\=20ms\,\ rate\=30";"#, "encoder: p95=20ms, rate=30"),
        (#"tracer, log=(string)"a\"b\\c";"#, #"a"b\c"#),
        (#"tracer, log=(string)/tmp/log.json, enabled=(boolean)true;"#, "/tmp/log.json"),
        (#"tracer, log=(string)"\303\274\ \360\237\230\200";"#, "ü 😀"),
        (#"tracer, log=(string)"";"#, ""),
        ("tracer, interval=(guint64)5;", "5"),
        ("tracer,interval=5", "5"),
    ])
    func aStructureIsReadAsWell(text: String, value: String) {
        let parameters = TracerParameters(text, of: "tracer")
        #expect(parameters.pairs.first?.value == value && parameters.faults.isEmpty, "\(parameters)")
    }

    @Test func theNameOfAnotherStructureIsAFault() {
        #expect(TracerParameters("other,a=1", of: "tracer").faults.count == 1)
        #expect(TracerParameters("a=1,tracer", of: "tracer").faults.count == 1)
    }

    @Test func drawnParametersComeBackHoweverTheyAreWritten() {
        var random = Random(seed: 11)
        for _ in 0..<3000 {
            let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.drawnValue(&random) }
            var parts: [String] = []
            for (index, value) in values.enumerated() {
                let type = Bool.random(using: &random) ? "(string)" : ""
                let space = Bool.random(using: &random) ? " " : ""
                parts.append("\(space)p\(index)\(space)=\(space)\(type)\(Self.written(value, &random))\(space)")
            }
            let text = (Bool.random(using: &random) ? ["tracer"] : []) + parts
            let end = Bool.random(using: &random) ? ";" : ""
            let parameters = TracerParameters(text.joined(separator: ",") + end, of: "tracer")
            #expect(parameters.pairs.map(\.value) == values && parameters.faults.isEmpty, "\(text)")
        }
    }

    @Test func noTextTraps() {
        var random = Random(seed: 12)
        let characters = Array(#"ab=,;"'\()07 ü"#)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in characters.randomElement(using: &random)!
            }
            let parameters = TracerParameters(String(text), of: "a")
            #expect(parameters.pairs.allSatisfy { !$0.name.isEmpty })
        }
    }

    private static func drawnValue(_ random: inout Random) -> String {
        let characters = Array(#"abz019 ,=;"'\()|:/ü😀"#)
        return String(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in characters.randomElement(using: &random)! })
    }

    /// `value` without quotes, in single quotes, or in double quotes as `gst_string_wrap` writes them.
    private static func written(_ value: String, _ random: inout Random) -> String {
        let isPlain = value.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) } && !value.isEmpty
        if isPlain, Bool.random(using: &random) { return value }
        if !value.utf8.contains(UInt8(ascii: "'")), Bool.random(using: &random) { return "'\(value)'" }
        var text = "\""
        for byte in value.utf8 {
            if (48...57).contains(byte) || (97...122).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else if (32..<127).contains(byte) {
                text += "\\" + String(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return text + "\""
    }
}
