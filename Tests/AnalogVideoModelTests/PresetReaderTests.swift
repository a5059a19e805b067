import AnalogVideoModel
import SignalSupport
import Testing

struct PresetReaderTests {
    private func read(_ members: String) throws(PresetError) -> NTSCSettings {
        try NTSCSettings(presetJSON: "{ \"version\": 1, \(members) }")
    }

    @Test func orderAndUnknownKeysDoNotMatter() throws {
        let settings = try NTSCSettings(
            presetJSON: #"{"luma_smear":0.25,"colour":"red","version":1.0,"nothing":null,"random_seed":-7}"#)
        #expect(settings.lumaSmear == 0.25)
        #expect(settings.randomSeed == -7)
    }

    @Test(
        arguments: [
            (#"{"version":1}"#, []), (#"{"version":1,"luma_smear":0.25,"vhs_tape_speed":1}"#, []),
            (#"{"version":1,"luma-smear":0.25,"Version":1,"_ringing":1}"#, ["Version", "_ringing", "luma-smear"]),
            (#"{"version":1,"":null,"ez_mode":{"luma_smear":1,"unseen":0}}"#, ["", "ez_mode"]),
            (#"{"_composite_preemphasis":1,"_freq_noise_size":0.5,"_vhs_edge_wave":1}"#, []),
            (#"{"_composite_preemphasis":1,"version":1,"_tape":1}"#, ["_tape", "version"]),
        ] as [(String, [String])])
    func unknownKeysAreListed(text: String, keys: [String]) throws {
        #expect(try Preset(json: Array(text.utf8)).unknownKeys == keys)
    }

    @Test func listOfUnknownKeysIsLimited() throws {
        let long = (10...40).map { "\"nonsense\($0)\":0," }.joined()
        let preset = try Preset(json: Array("{\(long)\"version\":1}".utf8))
        #expect(preset.unknownKeys.count == 31)
        #expect(preset.unknownKeyList.hasPrefix("\"nonsense10\", ") && preset.unknownKeyList.hasSuffix(" and 23 more"))
    }

    @Test func nestedObjectsAndArraysAreSkipped() throws {
        let settings = try read(#""ez_mode":{"luma_smear":1},"luma_smear":[0.5],"ringing_scale":{"version":2}"#)
        #expect(settings.lumaSmear == 0)
        #expect(settings.ringingScale == 4)
    }

    @Test func numbersAreClamped() throws {
        let settings = try read(
            #""luma_smear":7,"ringing_power":-1e39,"chroma_delay_vertical":4294967296,"composite_noise_detail":0"#)
        #expect(settings.lumaSmear == 1)
        #expect(settings.ringingPower == 1)
        #expect(settings.chromaDelayVertical == 20)
        #expect(settings.compositeNoiseDetail == 1)
    }

    @Test func wholeNumbersAreTruncated() throws {
        let settings = try read(#""chroma_delay_vertical":-3.9,"random_seed":3e9,"vhs_tape_speed":3.9"#)
        #expect(settings.chromaDelayVertical == -3)
        #expect(settings.randomSeed == .max)
        #expect(settings.vhsTapeSpeed == .ep)
    }

    /// If the digits were converted to `Double` first, they would be rounded twice, and the result would be 1.
    @Test func realNumbersAreRoundedOnce() throws {
        #expect(try read(#""ringing_scale":1.000000059604644775390626"#).ringingScale == Float(1).nextUp)
    }

    @Test(arguments: [
        (#""vhs_tape_speed":7"#, #""vhs_tape_speed" is 7, but must be one of 0 (none), 1 (sp), 2 (lp), 3 (ep)"#),
        (
            #""use_field":-1"#,
            #""use_field" is -1, but must be one of 0 (alternating), 1 (upper), 2 (lower), 3 (both), "#
                + "4 (interleaved-upper), 5 (interleaved-lower)"
        ),
        (#""ringing":1"#, #""ringing" is 1, but must be true or false"#),
        (#""luma_smear":true"#, #""luma_smear" is true, but must be a number from 0 to 1"#),
        (#""vertical_scale":"big""#, #""vertical_scale" is "big", but must be a number from 0.125 to 8.8"#),
        (#""luma_noise_detail":null"#, #""luma_noise_detail" is null, but must be a whole number from 1 to 5"#),
        (#""luma_smear":1e999"#, #""luma_smear" is not a readable number, but must be a number from 0 to 1"#),
        (#""luma_smear":01"#, #""luma_smear" is not a readable number, but must be a number from 0 to 1"#),
        (#""ringing":true,"ringing":false"#, #""ringing" is given twice, but must be given once"#),
    ])
    func errorsContainKeyAndExpectedValue(members: String, message: String) {
        let error = #expect(throws: PresetError.self) { try read(members) }
        #expect(error?.description == message)
        #expect(error?.key != nil)
    }

    @Test(arguments: [
        ("{}", "missing"), (#"{"version":2}"#, "2"), (#"{"version":true}"#, "true"), (#"{"version":[1]}"#, "missing"),
        (#"{"version":"1"}"#, #""1""#), (#"{"version":1.5,"ringing":3}"#, "1.5"),
    ])
    func otherVersionsAreRefused(text: String, found: String) {
        let error = #expect(throws: PresetError.self) { try NTSCSettings(presetJSON: text) }
        #expect(error?.description == "\"version\" is \(found), but must be 1")
    }

    @Test func longTextIsShortenedInMessages() {
        let error = #expect(throws: PresetError.self) {
            try read("\"luma_smear\":\"\(String(repeating: "\\n", count: 5_000))\"")
        }
        #expect((error?.description.count ?? 0) < 200)
        #expect(error?.description.contains("\n") == false)
    }
}
