extension NTSCSettings {
    /// The settings as a preset of ntsc-rs, version 1, on one line.
    ///
    /// Settings that ntsc-rs lacks are written only if they differ from the default, so that it reads other presets
    /// completely.
    ///
    /// Reading the text restores the settings. Values are clamped to their ranges, and NaN is written as the default,
    /// so the text is always a valid preset.
    public var presetJSON: String {
        let defaults = NTSCSettings()
        let rows = SettingRow.all.filter { !$0.isOwn || $0.value(in: self) != $0.value(in: defaults) }
        let members = rows.map { "\"\($0.key)\": \($0.text(in: self))" } + ["\"version\": 1"]
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
