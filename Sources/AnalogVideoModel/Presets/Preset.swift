/// A preset file: its settings and its unknown keys.
public struct Preset: Sendable, Equatable {
    /// Settings of the preset.
    public let settings: NTSCSettings
    /// Unknown keys, in alphabetical order; they are ignored.
    public let unknownKeys: [String]

    /// Reads the content of a preset file of ntsc-rs (version 1) or of ntscQT.
    public init(json bytes: [UInt8]) throws(PresetError) {
        let object = try PresetObject(bytes)
        if object[NTSCQTPreset.mark] != nil {
            settings = try NTSCQTPreset(object).settings()
            unknownKeys = object.keys.filter { !NTSCQTPreset.keys.contains($0) }
        } else {
            settings = try NTSCSettings(object)
            unknownKeys = object.keys.filter { !PresetObject.knownKeys.contains($0) }
        }
    }

    /// At most eight unknown keys, each shortened, and the number of further keys, for messages.
    public var unknownKeyList: String {
        let shown = unknownKeys.prefix(8).map(\.shortened.debugDescription).joined(separator: ", ")
        let more = unknownKeys.count - 8
        return more > 0 ? shown + " and \(more) more" : shown
    }
}
