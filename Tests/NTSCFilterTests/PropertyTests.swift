import AnalogVideoModel
import CGStreamer
import Foundation
import GstTestSupport
import SignalSupport
import Testing

/// Tests that every setting of the signal is a property that its row of the table defines.
struct PropertyTests {
    @Test(arguments: SettingRow.all.map(\.key))
    func everySettingIsAPropertyOfItsRangeAndDefault(key: String) throws {
        let row = try #require(SettingRow.all.first { $0.key == key })
        let filter = Filter()
        let spec = try #require(filter.spec(key.replacing("_", with: "-")))
        let initial = row.value(in: NTSCSettings())
        #expect(filter.number(row.propertyName) == initial)
        let raw = UnsafeMutableRawPointer(spec)
        switch row.kind {
        case .toggle:
            #expect(raw.assumingMemoryBound(to: GParamSpecBoolean.self).pointee.default_value == (initial == 0 ? 0 : 1))
        case .integer(let range):
            let spec = raw.assumingMemoryBound(to: GParamSpecInt.self).pointee
            #expect(spec.minimum...spec.maximum == range)
            #expect(Double(spec.default_value) == initial)
        case .real(let range):
            let spec = raw.assumingMemoryBound(to: GParamSpecFloat.self).pointee
            #expect(spec.minimum...spec.maximum == range)
            #expect(Double(spec.default_value) == initial)
        case .choice(_, let options):
            let spec = raw.assumingMemoryBound(to: GParamSpecEnum.self).pointee
            #expect(Double(spec.default_value) == initial)
            let values = UnsafeBufferPointer(
                start: spec.enum_class.pointee.values, count: Int(spec.enum_class.pointee.n_values))
            #expect(values.map { $0.value } == options.map { $0.value })
            #expect(values.map { String(cString: $0.value_nick) } == options.map { $0.nick })
            #expect(values.map { String(cString: $0.value_name) } == options.map { $0.summary })
        }
    }

    @Test(arguments: SettingRow.all.map(\.propertyName) + ["enabled"])
    func everySettingCanBeAnimatedAndChangedAtAnyTime(name: String) throws {
        let flags = try #require(Filter().spec(name)).pointee.flags.rawValue
        #expect(flags & cgst_param_readable().rawValue != 0 && flags & cgst_param_writable().rawValue != 0)
        #expect(flags & cgst_param_controllable().rawValue != 0)
        #expect(flags & cgst_param_mutable_playing().rawValue == cgst_param_mutable_playing().rawValue)
    }

    @Test func everyPropertyIsExplained() throws {
        var count: guint = 0
        let specs = try #require(g_object_class_list_properties(Filter().objectClass, &count))
        defer { g_free(specs) }
        #expect(Int(count) >= SettingRow.all.count + 4)
        for spec in UnsafeBufferPointer(start: specs, count: Int(count)) {
            let blurb = g_param_spec_get_blurb(spec).map { String(cString: $0) } ?? ""
            #expect(
                blurb.contains(" ") || blurb == "The parent of the object", "\(String(cString: spec!.pointee.name))")
        }
    }

    @Test func theDefaultsAreTheDefaultPreset() throws {
        let file = GoldenFrame.folder.appending(path: "presets/default.json")
        let preset = try NTSCSettings(presetJSON: [UInt8](Data(contentsOf: file)))
        let json = try #require(Filter()["preset-json"])
        #expect(try NTSCSettings(presetJSON: json) == preset)
        #expect(try keys(json) == keys(String(contentsOf: file, encoding: .utf8)))
    }

    /// The names and values in a JSON text.
    private func keys(_ json: String) throws -> [String: Double] {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: NSNumber])
        return object.mapValues { Double(Float(truncating: $0)) }
    }

    @Test func everyPropertyChangesOnlyItsOwnSetting() throws {
        for row in SettingRow.all {
            let filter = Filter()
            let (text, value) = other(row)
            filter[row.propertyName] = text
            var expected = NTSCSettings()
            row.store(value, in: &expected)
            #expect(expected != NTSCSettings())
            #expect(try NTSCSettings(presetJSON: #require(filter["preset-json"])) == expected, "\(row.key)")
        }
    }

    /// A value that differs from the default, as text and as number.
    private func other(_ row: SettingRow) -> (String, Double) {
        let initial = row.value(in: NTSCSettings())
        switch row.kind {
        case .toggle: return (initial == 0 ? "true" : "false", 1 - initial)
        case .integer(let range):
            let value = initial == Double(range.upperBound) ? range.lowerBound : range.upperBound
            return ("\(value)", Double(value))
        case .real(let range):
            let value = initial == Double(range.upperBound) ? range.lowerBound : range.upperBound
            return ("\(value)", Double(value))
        case .choice(_, let options):
            let option = options.first { Double($0.value) != initial }!
            return (option.nick, Double(option.value))
        }
    }
}
