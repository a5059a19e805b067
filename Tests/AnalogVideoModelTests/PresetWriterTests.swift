import TestSupport
import AnalogVideoModel
import SignalSupport
import Testing

struct PresetWriterTests {
    @Test func settingsAreWrittenInOrderAndVersionLast() {
        let keys = NTSCSettings().presetJSON.split(separator: ",").compactMap { member in
            member.split(separator: "\"").dropFirst().first.map(String.init)
        }
        #expect(keys == SettingRow.all.filter { !$0.isOwn }.map(\.key) + ["version"])
    }

    /// Tests that only presets that ntsc-rs cannot play have keys that it does not know.
    @Test func settingsThatTheReferenceLacksAreWrittenIfTheyDifferFromTheDefault() throws {
        var settings = NTSCSettings()
        #expect(!settings.presetJSON.contains("standard") && !settings.presetJSON.contains("pal_decoder"))
        #expect(!settings.presetJSON.contains("snow_model"))
        (settings.standard, settings.palDecoder, settings.snowModel) = (.pal, .simple, .reception)
        #expect(settings.presetJSON.contains("\"standard\": 1, "))
        #expect(settings.presetJSON.contains("\"pal_decoder\": 0, "))
        let preset = try Preset(json: Array(settings.presetJSON.utf8))
        #expect(preset.settings == settings && preset.unknownKeys.isEmpty)
    }

    @Test func randomSettingsReadBackExactly() throws {
        var random = Random(seed: 7)
        for _ in 0..<300 {
            var settings = NTSCSettings()
            for row in SettingRow.all {
                switch row.kind {
                case .toggle: row.store(Double(random.below(2)), in: &settings)
                case .choice(_, let options): row.store(Double(random.below(options.count)), in: &settings)
                case .integer: row.store(Double(Int32(truncatingIfNeeded: random.next())), in: &settings)
                case .real:
                    row.store(Double(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))), in: &settings)
                }
            }
            #expect(try NTSCSettings(presetJSON: settings.presetJSON) == settings)
        }
    }

    @Test func floatsAreWrittenWithFewestDigits() {
        var settings = NTSCSettings()
        settings.vhsChromaLoss = 1e-5
        settings.verticalScale = 8.8
        let text = settings.presetJSON
        #expect(text.contains("\"vhs_chroma_loss\": 1e-05, "))
        #expect(text.contains("\"vertical_scale\": 8.8, "))
        #expect(text.contains("\"composite_noise_intensity\": 0.05, "))
    }

    @Test func nanIsWrittenAsTheDefault() throws {
        var settings = NTSCSettings()
        settings.lumaSmear = .nan
        settings.ringingScale = .infinity
        let read = try NTSCSettings(presetJSON: settings.presetJSON)
        #expect(read.lumaSmear == 0.5)
        #expect(read.ringingScale == 10)
    }
}
