import AnalogVideoModel
import GStreamer

extension Property<NTSCFilter.Settings> {
    // MARK: Presets

    static let presetFile = Self.string(
        "preset-file", "Path of a JSON preset of ntsc-rs or ntscQT; setting it replaces all settings (NULL = none)",
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
        "preset-json", "All settings as a JSON preset; setting it to a preset of ntsc-rs or ntscQT replaces them",
        get: { $0.signal.presetJSON },
        parseWithWarning: { text throws(ElementError) in
            guard let text else { return .init { _ in } }
            let preset = try read(Array(text.utf8), "The text set as preset-json")
            return .init(warning: preset.warning("The text set as preset-json")) { $0.signal = preset.settings }
        }
    ).storedInPresets(false).superseding("preset-file")

    /// Reads a preset; errors begin with `subject`.
    private static func read(_ bytes: [UInt8], _ subject: String) throws(ElementError) -> Preset {
        do throws(PresetError) {
            return try Preset(json: bytes)
        } catch {
            throw .settings("\(subject) is not a valid preset: \(error)", debug: "The settings are unchanged.")
        }
    }

    // MARK: Settings of the signal

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
                    row.propertyName, typeName: "\(NTSCFilter.typeName)\(typeName)", options: options, row.blurb,
                    get: { Int32(row.value(in: $0.signal)) }, set: { row.store(Double($1), in: &$0.signal) })
            }
    }
}

extension Preset {
    /// A warning that lists the unknown keys; nil if there are none.
    fileprivate func warning(_ subject: String) -> ElementError? {
        guard !unknownKeys.isEmpty else { return nil }
        return .settings(
            "\(subject) has unknown keys: \(unknownKeyList).",
            debug: "Unknown keys are ignored; all other keys of the preset are applied. "
                + "The value of preset-json lists all valid keys.")
    }
}
