import AnalogVideoModel
import CGStreamer
import Testing

@testable import SwiftVideoPlugin

/// The looks that come with the plugin, and a user's own.
///
/// One at a time: GStreamer keeps the presets of a type in one place, without a lock.
@Suite(.serialized) struct NamedPresetTests {
    @Test func everyLookIsThereUnderItsName() throws {
        let names = presetNames(Filter())
        for look in Look.all { #expect(names.contains(look.name)) }
    }

    @Test(arguments: Look.all.map(\.name))
    func aLookSetsExactlyItsSettings(name: String) throws {
        let look = try #require(Look.all.first { $0.name == name })
        // From settings that are far from every look.
        let everything = GoldenFrame.folder.appending(path: "presets/everything.json").path
        let filter = Filter(["preset-file": everything, "enabled": "false", "n-threads": "3"])
        #expect(withPreset(filter) { gst_preset_load_preset($0, name) } != 0)
        #expect(try NTSCSettings(presetJSON: #require(filter["preset-json"])) == look.settings)
        #expect(filter["enabled"] == "false")
        #expect(filter["n-threads"] == "3")
        var comment: UnsafeMutablePointer<gchar>?
        #expect(withPreset(filter) { gst_preset_get_meta($0, name, "comment", &comment) } != 0)
        #expect(comment.map { String(cString: $0) } == look.comment)
        g_free(comment)
    }

    @Test func usersSaveAndDeleteTheirOwn() {
        let filter = Filter(["snow-intensity": "12.5", "use-field": "both", "random-seed": "-3"])
        #expect(withPreset(filter) { gst_preset_save_preset($0, "My own") } != 0)
        #expect(presetNames(filter).contains("My own"))

        let other = Filter()
        #expect(withPreset(other) { gst_preset_load_preset($0, "My own") } != 0)
        #expect(other["preset-json"] == filter["preset-json"])

        #expect(withPreset(filter) { gst_preset_delete_preset($0, "My own") } != 0)
        #expect(!presetNames(filter).contains("My own"))
        #expect(withPreset(other) { gst_preset_load_preset($0, "My own") } == 0)
    }

    private func presetNames(_ filter: Filter) -> [String] {
        guard let list = withPreset(filter, { gst_preset_get_preset_names($0) }) else { return [] }
        defer { g_strfreev(list) }
        return (0..<Int(g_strv_length(list))).compactMap { list[$0].map { String(cString: $0) } }
    }

    private func withPreset<R>(_ filter: Filter, _ body: (OpaquePointer) -> R) -> R {
        withExtendedLifetime(filter) { body(OpaquePointer(filter.element)) }
    }
}
