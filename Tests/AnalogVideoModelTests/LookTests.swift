import AnalogVideoModel
import Foundation
import SignalSupport
import Testing

struct LookTests {
    private static let file = PackageFolder.root.appending(path: "presets/GstNtscFilter.prs")

    /// `UPDATE_PRESETS=1 swift test --filter LookTests` overwrites the file.
    @Test func presetFileContainsAllLooks() throws {
        let text = GStreamerPresetFile(elementName: "GstNtscFilter", looks: Look.all).text
        if ProcessInfo.processInfo.environment["UPDATE_PRESETS"] == "1" {
            try Data(text.utf8).write(to: Self.file)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    @Test func namesAndLooksAreDistinct() {
        #expect(Look.all.count >= 10)
        #expect(Set(Look.all.map(\.name)).count == Look.all.count)
        #expect(Set(Look.all.map(\.settings.presetJSON)).count == Look.all.count)
    }

    /// In `gst_parse_launch`, the name after `@preset=` extends to the next space and includes quotes.
    @Test(arguments: Look.all)
    func everyNameCanBeWrittenInALaunchLine(look: Look) {
        #expect(look.name.allSatisfy { ("a"..."z").contains($0) || $0 == "-" } && !look.name.hasPrefix("-"))
    }

    @Test(arguments: Look.all)
    func everyLookHasValidSettings(look: Look) throws {
        #expect(SettingRow.all.allSatisfy { $0.holdsValidValue(in: look.settings) })
        #expect(look.settings != NTSCSettings())
        #expect(try NTSCSettings(presetJSON: look.settings.presetJSON) == look.settings)
    }

    /// Tests that the tape speed of a look without a tape is `none`.
    @Test(arguments: Look.all)
    func looksWithATapeSpeedEnableTheTape(look: Look) {
        #expect(look.settings.vhsTapeSpeed == .none || look.settings.vhsSettings)
    }

    @Test func blackAndWhiteSetRemovesAllChroma() throws {
        let look = try #require(Look.all.first { $0.name == "black-and-white-set" })
        #expect(look.settings.vhsSettings)
        #expect(look.settings.vhsChromaLoss == 1)
    }
}

/// A key file of GstPreset, which has a group per preset and a line per property.
struct GStreamerPresetFile {
    let text: String

    init(elementName: String, looks: [Look]) {
        // Preset files that a user saves have the version of GStreamer, 1.x, and override files of a lower version.
        let head = "[_presets_]\nversion=2.0.0\nelement-name=\(elementName)\n"
        text = looks.reduce(into: head) { text, look in
            text += "\n[\(look.name)]\n_meta/comment=\(look.comment)\n"
            for row in SettingRow.all { text += "\(row.propertyName)=\(Self.value(of: row, in: look.settings))\n" }
        }
    }

    /// The value in the notation that `gst_value_deserialize` reads for the type of the property.
    private static func value(of row: SettingRow, in settings: NTSCSettings) -> String {
        let value = row.value(in: settings)
        return switch row.kind {
        case .toggle: value == 0 ? "false" : "true"
        case .integer: "\(Int32(value))"
        case .real: "\(Float(value))"
        case .choice(_, let options): options.first { Double($0.value) == value }!.nick
        }
    }
}
