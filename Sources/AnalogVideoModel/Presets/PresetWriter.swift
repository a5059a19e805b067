extension NTSCSettings {
    /// The settings as a preset of ntsc-rs, version 1, on one line.
    ///
    /// Reading the text restores the settings. Values are clamped to their ranges, and NaN is written as the default,
    /// so the text is always a valid preset.
    public var presetJSON: String {
        let members = SettingRow.all.map { "\"\($0.key)\": \($0.text(in: self))" } + ["\"version\": 1"]
        return "{ " + members.joined(separator: ", ") + " }"
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
