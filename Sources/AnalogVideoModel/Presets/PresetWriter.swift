extension NTSCSettings {
    /// The settings as a preset of ntsc-rs, version 1; reading it back gives the same settings.
    ///
    /// A value outside its range is written clamped, and NaN as the default, so that the text is always valid.
    public var presetJSON: String {
        var text = "{\n"
        for row in SettingRow.all { text += "  \"\(row.key)\": \(row.text(in: self)),\n" }
        return text + "  \"version\": 1\n}\n"
    }
}

extension SettingRow {
    /// The value in `settings` as JSON: a number that reads back the same, or true or false.
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
