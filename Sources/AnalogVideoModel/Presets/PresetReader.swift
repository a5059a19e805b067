// The format is described in docs/NTSC.md, "Presets".

extension NTSCSettings {
    /// What a preset file means by the settings it does not name: looks of before those settings existed.
    static var legacy: NTSCSettings {
        var settings = NTSCSettings()
        for row in SettingRow.all {
            if let legacy = row.legacy { row.store(legacy, in: &settings) }
        }
        return settings
    }

    /// No preset is larger, in bytes.
    public static let largestPreset = PresetObject.maximumByteCount

    /// Reads a preset of ntsc-rs (version 1) or of ntscQT.
    public init(presetJSON: String) throws(PresetError) { self = try Preset(json: Array(presetJSON.utf8)).settings }

    /// Reads a preset of ntsc-rs (version 1) or of ntscQT, as it stands in its file.
    public init(presetJSON bytes: [UInt8]) throws(PresetError) { self = try Preset(json: bytes).settings }

    init(_ object: PresetObject) throws(PresetError) {
        guard case .number(1, _) = object["version"] else {
            throw PresetError(
                key: "version", expected: "1", found: object["version"].map { $0.description } ?? "missing")
        }
        self = .legacy
        for row in SettingRow.all {
            guard let value = object[row.key] else { continue }
            guard let number = row.number(of: value), row.store(number, in: &self) else {
                throw PresetError(key: row.key, expected: row.expectation, found: value.description)
            }
        }
    }
}

extension SettingRow {
    /// The value as a number, or nil if it is of the wrong kind: a toggle takes true and false alone, the rest numbers.
    fileprivate func number(of value: PresetValue) -> Double? {
        switch (kind, value) {
        case (.toggle, .bool(let value)): value ? 1 : 0
        case (.toggle, _): nil
        case (.real, .number(_, let single)): Double(single)
        case (_, .number(let double, _)): double
        default: nil
        }
    }
}
