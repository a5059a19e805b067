import TestSupport
import AnalogVideoModel
import SignalSupport
import Testing

/// Tests that text that is not a preset is refused with an error.
struct MalformedPresetTests {
    private func message(_ bytes: [UInt8]) -> String? {
        #expect(throws: PresetError.self) { try NTSCSettings(presetJSON: bytes) }?.description
    }

    @Test(arguments: [
        "", " \n\t ", "{", "}", "[1]", "1", "null", #""text""#, #"{"version":1"#, #"{"version":1} x"#, "{'version':1}",
        #"{"version":1 // one"#, #"{"version":NaN}"#, #"{"version":1,"luma_smear":}"#, #"{"a\ud800":1,"version":1}"#,
    ])
    func brokenTextIsRefused(text: String) {
        #expect(message(Array(text.utf8))?.hasPrefix("The preset is ") == true)
    }

    @Test func syntaxErrorContainsLineAndColumn() {
        #expect(
            message(Array("{\n  \"version\": 1,\n  \"ringing\" true\n}".utf8))
                == "The preset is not valid JSON (line 3, column 13: a colon is missing), "
                + "but must be one JSON object, as in { \"version\": 1 }")
    }

    @Test func deepNestingIsRefused() {
        for opening in [#"["#, #"{"a":"#] {
            #expect(message(Array(String(repeating: opening, count: 10_000).utf8)) != nil)
        }
        let closed = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(message(Array("{\"version\":1,\"a\":\(closed)}".utf8)) != nil)
    }

    @Test func repeatedUnknownKeyIsAccepted() {
        #expect(throws: Never.self) { try NTSCSettings(presetJSON: #"{"version":1,"note":"a","note":"b"}"#) }
    }

    @Test func byteOrderMarkIsSkipped() {
        #expect(throws: Never.self) { try NTSCSettings(presetJSON: [0xEF, 0xBB, 0xBF] + #"{"version":1}"#.utf8) }
    }

    @Test func otherEncodingsAreRefused() {
        let text = #"{"version":1}"#
        #expect(message(text.utf16.flatMap { [UInt8($0), 0] })?.contains("UTF-8") == true)
        #expect(message(Array(#"{"version":1,"a":""#.utf8) + [0xFF] + Array("\"}".utf8))?.contains("UTF-8") == true)
    }

    @Test func oversizedFilesAreRefused() {
        #expect(message([UInt8](repeating: 0x20, count: 100_000_000))?.contains("at most 1000000 bytes") == true)
    }

    @Test func manyKeysAndDigitsAreParsed() throws {
        let keys = (0..<50_000).map { "\"k\($0)\":1," }.joined()
        #expect(try NTSCSettings(presetJSON: "{\(keys)\"version\":1}").ringing)
        let digits = String(repeating: "9", count: 900_000)
        #expect(message(Array("{\"version\":1,\"luma_smear\":\(digits)}".utf8)) != nil)
    }

    /// Tests that presets with replaced, changed or repeated bytes result in valid settings or an error.
    @Test func mutatedPresetsNeverTrap() throws {
        var random = Random(seed: 20_240_501)
        let seeds =
            try PackageFolder.goldenPresetNames().map { try PackageFolder.goldenPreset($0) }
            + [Array(NTSCQTPresetTests.example.utf8)]
        let tokens = ["true", "null", "-", "1e999", "{", "}", "[", "]", "\"", ",", ":", "\\u0000", "é", "\u{0}", "0.1"]
        var loaded = 0
        for _ in 0..<4_000 {
            var bytes = seeds[random.below(seeds.count)]
            for _ in 0...random.below(4) {
                let start = random.below(bytes.count)
                let end = min(bytes.count, start + random.below(6))
                switch random.below(3) {
                case 0: bytes.replaceSubrange(start..<end, with: tokens[random.below(tokens.count)].utf8)
                case 1: bytes[start] = UInt8(random.below(256))
                default: bytes.replaceSubrange(start..<end, with: bytes[start..<end] + bytes[start..<end])
                }
            }
            guard let settings = try? NTSCSettings(presetJSON: bytes) else { continue }
            loaded += 1
            #expect(SettingRow.all.allSatisfy { $0.holdsValidValue(in: settings) })
            #expect(try NTSCSettings(presetJSON: settings.presetJSON) == settings)
        }
        #expect(loaded > 100 && loaded < 3_900)
    }
}
