import AnalogVideoModel
import GStreamer

extension NTSCFilter {
    /// The properties: one for each setting of the signal, and a few about the element itself.
    struct Settings: ElementSettings {
        var signal = NTSCSettings()
        var isEnabled = true
        var presetFile: String?
        /// 0 stands for as many as the machine has cores.
        var threadCount: UInt32 = 0

        static let properties: [Property<Self>] = [enabled, threads, file, json] + SettingRow.all.map(property)

        private static let enabled = Property.bool(
            "enabled", \Self.isEnabled, "Whether frames are changed; false passes them on without a copy"
        ).storedInPresets(false)

        private static let threads = Property.uint32(
            "n-threads", \Self.threadCount, in: 0...64, "Threads that share the work on a frame (0 = one per core)",
            flags: .anyTime
        ).storedInPresets(false)

        private static let file = Property<Self>.string(
            "preset-file", "Path of a preset in JSON to load, of ntsc-rs or ntscQT",
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

        private static let json = Property<Self>.string(
            "preset-json", "All settings as a preset in JSON, to save them; may be set to a preset as well",
            get: { $0.signal.compactPresetJSON },
            parseWithWarning: { text throws(ElementError) in
                guard let text else { return .init { _ in } }
                let preset = try read(Array(text.utf8), "The text set as preset-json")
                return .init(warning: preset.warning("The text set as preset-json")) { $0.signal = preset.settings }
            }
        ).storedInPresets(false).superseding("preset-file")

        /// `subject` begins the error that says what is wrong with the preset.
        private static func read(_ bytes: [UInt8], _ subject: String) throws(ElementError) -> Preset {
            do throws(PresetError) {
                return try Preset(json: bytes)
            } catch {
                throw .settings("\(subject) is no preset: \(error)", debug: "The settings stay as they were.")
            }
        }

        private static func property(_ row: SettingRow) -> Property<Self> {
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
                    row.propertyName, typeName: "\(NTSCFilter.typeName)\(typeName)",
                    options: options.map { ($0.value, $0.nick, $0.summary) }, row.blurb,
                    get: { Int32(row.value(in: $0.signal)) }, set: { row.store(Double($1), in: &$0.signal) })
            }
        }
    }
}

extension Preset {
    /// Names the keys that were ignored; nil when there are none.
    fileprivate func warning(_ subject: String) -> ElementError? {
        guard !unknownKeys.isEmpty else { return nil }
        return .settings(
            "\(subject) has keys that name no setting: \(unknownKeyList).",
            debug: "They were ignored; the other settings of the preset are in force. A preset has the keys that "
                + "preset-json shows.")
    }
}
