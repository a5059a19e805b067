/// A preset as it was read: its settings, and what in it has no meaning here.
public struct Preset: Sendable, Equatable {
    public let settings: NTSCSettings
    /// The keys that name no setting, in alphabetical order; they were ignored.
    public let unknownKeys: [String]

    /// Reads a preset of ntsc-rs (version 1) or of ntscQT, as it stands in its file.
    public init(json bytes: [UInt8]) throws(PresetError) {
        let object = try PresetObject(bytes)
        if object[NTSCQTPreset.mark] != nil {
            settings = try NTSCQTPreset(object).settings()
            unknownKeys = object.keys.filter { !NTSCQTPreset.keys.contains($0) }
        } else {
            settings = try NTSCSettings(object)
            unknownKeys = object.keys.filter { !Self.keys.contains($0) }
        }
    }

    /// The unknown keys as a message quotes them: a few of them, shortened, since a preset can hold any number.
    public var unknownKeyList: String {
        let shown = unknownKeys.prefix(8).map(\.shortened.debugDescription).joined(separator: ", ")
        let more = unknownKeys.count - 8
        return more > 0 ? shown + " and \(more) more" : shown
    }

    private static let keys = Set(SettingRow.all.map(\.key) + ["version"])
}
