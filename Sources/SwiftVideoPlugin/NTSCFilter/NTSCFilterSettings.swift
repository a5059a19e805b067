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
            parse: { path throws(ElementError) in
                guard let path, !path.isEmpty else { return { $0.presetFile = nil } }
                let signal = try load(path)
                return {
                    $0.presetFile = path
                    $0.signal = signal
                }
            }
        ).storedInPresets(false).superseding("preset-json")

        private static let json = Property<Self>.string(
            "preset-json", "All settings as a preset in JSON, to save them; may be set to a preset as well",
            get: { $0.signal.compactPresetJSON },
            parse: { text throws(ElementError) in
                guard let text else { return { _ in } }
                let signal: NTSCSettings
                do throws(PresetError) {
                    signal = try NTSCSettings(presetJSON: text)
                } catch {
                    throw .settings("The text set as preset-json is no preset: \(error)", debug: keptSettings)
                }
                return { $0.signal = signal }
            }
        ).storedInPresets(false).superseding("preset-file")

        private static let keptSettings = "The settings stay as they were."

        private static func load(_ path: String) throws(ElementError) -> NTSCSettings {
            let bytes = try SmallFile.read(path, atMost: NTSCSettings.largestPreset)
            do throws(PresetError) {
                return try NTSCSettings(presetJSON: bytes)
            } catch {
                throw .settings("\"\(path)\" is no preset: \(error)", debug: keptSettings)
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
