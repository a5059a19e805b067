extension NTSCSettings {
    /// The settings as a preset of ntsc-rs, version 1, a line each; reading it back gives the same settings.
    ///
    /// A value outside its range is written clamped, and NaN as the default, so that the text is always valid.
    public var presetJSON: String { "{\n" + members.map { "  \($0)" }.joined(separator: ",\n") + "\n}\n" }

    /// The same on one line.
    public var compactPresetJSON: String { "{ " + members.joined(separator: ", ") + " }" }

    private var members: [String] {
        SettingRow.all.map { "\"\($0.key)\": \($0.text(in: self))" } + ["\"version\": 1"]
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
