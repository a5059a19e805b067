internal import JSON

// Format: docs/NTSC.md, "Presets".

extension NTSCSettings {
    /// Values for keys that a preset file does not contain; they preserve the look of older presets.
    static var legacy: NTSCSettings {
        var settings = NTSCSettings()
        for row in SettingRow.all {
            if let legacy = row.legacy { row.store(legacy, in: &settings) }
        }
        return settings
    }

    /// Maximum size of a preset, in bytes.
    public static let largestPreset = PresetObject.maximumByteCount

    init(_ object: PresetObject) throws(PresetError) {
        guard case .number(let version) = object["version"], version.double == 1 else {
            throw PresetError(key: "version", expected: "1", found: object["version"]?.shown ?? "missing")
        }
        self = .legacy
        for row in SettingRow.all {
            guard let value = object[row.key] else { continue }
            guard let number = row.number(of: value), row.store(number, in: &self) else {
                throw PresetError(key: row.key, expected: row.expectation, found: value.shown)
            }
        }
    }
}

extension SettingRow {
    /// Converts `value` to a number; nil if its type is not that of the setting.
    fileprivate func number(of value: JSONValue) -> Double? {
        switch (kind, value) {
        case (.toggle, .bool(let value)): value ? 1 : 0
        case (.toggle, _): nil
        // `single` rounds the digits once. A number beyond the range of `Float` becomes infinity.
        case (.real, .number(let number)): number.double.map { Double(number.single ?? Float($0)) }
        case (_, .number(let number)): number.double
        default: nil
        }
    }
}
