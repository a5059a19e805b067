import AnalogVideoModel
import Foundation
import SignalSupport
import Testing

/// Tests the presets of the golden frames.
struct GoldenPresetTests {
    /// 56 presets are of frames of the reference, and 46 of frames of the model in NumPy.
    @Test func noGoldenPresetIsMissing() throws {
        #expect(try PackageFolder.goldenPresetNames().count == 56 + 46)
    }

    @Test(arguments: try PackageFolder.goldenPresetNames())
    func presetSurvivesWritingAndReading(name: String) throws {
        let settings = try NTSCSettings(presetJSON: PackageFolder.goldenPreset(name))
        let again = try NTSCSettings(presetJSON: settings.presetJSON)
        #expect(again == settings)
        #expect(again.presetJSON == settings.presetJSON)
    }

    /// Foundation's `JSONSerialization` reads the expected values.
    @Test(arguments: try PackageFolder.goldenPresetNames())
    func everyKeyIsStored(name: String) throws {
        let bytes = try PackageFolder.goldenPreset(name)
        let settings = try NTSCSettings(presetJSON: bytes)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: NSNumber])
        for row in SettingRow.all {
            guard let number = object[row.key] else { continue }
            #expect(Float(row.value(in: settings)) == number.floatValue, "\(row.key)")
        }
    }

    @Test func defaultPresetContainsTheDefaults() throws {
        let bytes = try PackageFolder.goldenPreset("default.json")
        #expect(try NTSCSettings(presetJSON: bytes) == NTSCSettings())
    }

    @Test func defaultsAreWrittenAsInTheDefaultPreset() throws {
        let lines = String(decoding: try PackageFolder.goldenPreset("default.json"), as: UTF8.self)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(NTSCSettings().presetJSON == lines.joined(separator: " "))
    }

    @Test func emptyPresetGivesLegacyValues() throws {
        var expected = NTSCSettings()
        expected.filterType = .constantK
        expected.compositeNoiseIntensity = 0
        expected.compositeNoiseFrequency = 0.25
        expected.lumaSmear = 0
        expected.headSwitchingStartMidLine = false
        expected.lumaNoise = false
        expected.lumaNoiseIntensity = 0
        expected.lumaNoiseFrequency = 0
        expected.lumaNoiseDetail = 1
        expected.chromaNoiseIntensity = 0
        expected.chromaNoiseDetail = 1
        expected.vhsEdgeWaveDetail = 1
        #expect(try NTSCSettings(presetJSON: PackageFolder.goldenPreset("legacy-base.json")) == expected)
    }
}
