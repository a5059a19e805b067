import AnalogVideoModel
import GStreamer

extension Property<NTSCFilter.Settings> {
    // MARK: Presets

    static let presetFile = Self.string(
        "preset-file", "Path of a preset in JSON to load, of ntsc-rs or ntscQT",
        get: { $0.presetFile },
        parseWithWarning: { path throws(ElementError) in
            guard let path, !path.isEmpty else { return .init { $0.presetFile = nil } }
            let preset = try read(try SmallFile.read(path, atMost: NTSCSettings.largestPreset), "\"\(path)\"")
            return .init(warning: preset.warning("\"\(path)\"")) {
                $0.presetFile = path
                $0.signal = preset.settings
            }
        }
    ).storedInPresets(false).superseding("preset-json")

    static let presetJSON = Self.string(
        "preset-json", "All settings as a preset in JSON, to save them; may be set to a preset as well",
        get: { $0.signal.compactPresetJSON },
        parseWithWarning: { text throws(ElementError) in
            guard let text else { return .init { _ in } }
            let preset = try read(Array(text.utf8), "The text set as preset-json")
            return .init(warning: preset.warning("The text set as preset-json")) { $0.signal = preset.settings }
        }
    ).storedInPresets(false).superseding("preset-file")

    /// `subject` begins the error that says what is wrong with the preset.
    private static func read(_ bytes: [UInt8], _ subject: String) throws(ElementError) -> Preset {
        do throws(PresetError) {
            return try Preset(json: bytes)
        } catch {
            throw .settings("\(subject) is no preset: \(error)", debug: "The settings stay as they were.")
        }
    }

    // MARK: Settings of the signal

    /// The property that shows a setting.
    init(_ row: SettingRow) {
        self =
            switch row.kind {
            case .toggle:
                .bool(
                    row.propertyName, row.blurb, get: { row.value(in: $0.signal) != 0 },
                    set: { row.store($1 ? 1 : 0, in: &$0.signal) })
            case .integer(let range):
                .int32(
                    row.propertyName, in: range, row.blurb, get: { Int32(row.value(in: $0.signal)) },
                    set: { row.store(Double($1), in: &$0.signal) })
            case .real(let range):
                .float(
                    row.propertyName, in: range, row.blurb, get: { Float(row.value(in: $0.signal)) },
                    set: { row.store(Double($1), in: &$0.signal) })
            case .choice(let typeName, let options):
                .choice(
                    row.propertyName, typeName: "\(NTSCFilter.typeName)\(typeName)",
                    options: options.map { ($0.value, $0.nick, $0.summary) }, row.blurb,
                    get: { Int32(row.value(in: $0.signal)) }, set: { row.store(Double($1), in: &$0.signal) })
            }
    }
}

extension Preset {
    /// Names the keys that were ignored; nil when there are none.
    fileprivate func warning(_ subject: String) -> ElementError? {
        guard !unknownKeys.isEmpty else { return nil }
        return .settings(
            "\(subject) has keys that name no setting: \(unknownKeyList).",
            debug: "They were ignored; the other settings of the preset are in force. A preset has the keys that "
                + "preset-json shows.")
    }
}
