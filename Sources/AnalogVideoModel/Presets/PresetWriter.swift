extension NTSCSettings {
    /// The settings as a preset of ntsc-rs, version 1, with one line for each setting.
    ///
    /// Reading the text restores the settings. Values are clamped to their ranges, and NaN is written as the default,
    /// so the text is always a valid preset.
    public var presetJSON: String { "{\n" + members.map { "  \($0)" }.joined(separator: ",\n") + "\n}\n" }

    /// The settings as a preset on one line.
    public var compactPresetJSON: String { "{ " + members.joined(separator: ", ") + " }" }

    private var members: [String] {
        SettingRow.all.map { "\"\($0.key)\": \($0.text(in: self))" } + ["\"version\": 1"]
    }
}

extension SettingRow {
    /// The value in `settings` as JSON: true, false, or a decimal that converts back to the same number.
    fileprivate func text(in settings: NTSCSettings) -> String {
        var valid = NTSCSettings()
        store(value(in: settings), in: &valid)
        let value = value(in: valid)
        return switch kind {
        case .toggle: value == 0 ? "false" : "true"
        case .integer, .choice: value.shortText
        case .real: Float(value).description
        }
    }
}
