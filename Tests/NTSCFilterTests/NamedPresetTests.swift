import AnalogVideoModel
import CGStreamer
import GstTestSupport
import SignalSupport
import Testing

@testable import NTSCFilter

/// Tests the presets that are installed with the plugin, and the presets of a user.
///
/// The tests run successively, because GStreamer stores the presets of a type globally and without a lock.
@Suite(.serialized) struct NamedPresetTests {
    @Test func everyLookHasItsName() throws {
        let names = presetNames(Filter())
        for look in Look.all { #expect(names.contains(look.name)) }
    }

    @Test func namesOfOlderVersionsAreMapped() {
        let old = [
            "Sharp monitor", "Broadcast", "Snowy antenna", "Hue off", "Black-and-white set", "Game console",
            "Composite camcorder", "VHS SP", "VHS LP", "VHS EP", "Third copy", "Worn tape", "Bad tracking",
        ]
        #expect(old.map { NTSCFilter.currentPresetName(of: $0) } == Look.all.prefix(old.count).map(\.name))
        #expect(NTSCFilter.presetNames == Set(Look.all.map(\.name)))
        for name in ["worn-tape", "Worn", "My own", ""] { #expect(NTSCFilter.currentPresetName(of: name) == nil) }
    }

    @Test(arguments: Look.all.map(\.name))
    func aLookSetsExactlyItsSettings(name: String) throws {
        let look = try #require(Look.all.first { $0.name == name })
        // At the start of the test, the settings differ from every look.
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

    /// Tests that old names, which applications may still use, load a preset, although lists contain only new names.
    @Test func namesOfOlderVersionsStillLoad() throws {
        for (old, name) in [("Worn tape", "worn-tape"), ("VHS LP", "vhs-lp"), ("Broadcast", "broadcast")] {
            let look = try #require(Look.all.first { $0.name == name })
            let filter = Filter()
            #expect(withPreset(filter) { gst_preset_load_preset($0, old) } != 0)
            #expect(try NTSCSettings(presetJSON: #require(filter["preset-json"])) == look.settings)
            var comment: UnsafeMutablePointer<gchar>?
            #expect(withPreset(filter) { gst_preset_get_meta($0, old, "comment", &comment) } != 0)
            #expect(comment.map { String(cString: $0) } == look.comment)
            g_free(comment)
            #expect(!presetNames(filter).contains(old))
        }
        #expect(withPreset(Filter()) { gst_preset_load_preset($0, "Wormy tape") } == 0)
    }

    /// Tests that a preset of the user has precedence over a preset of the plugin that formerly had this name.
    @Test func aUsersPresetMayHaveAnOldName() {
        let own = Filter(["snow-intensity": "12.5"])
        #expect(withPreset(own) { gst_preset_save_preset($0, "Third copy") } != 0)
        defer { _ = withPreset(own) { gst_preset_delete_preset($0, "Third copy") } }
        let filter = Filter()
        #expect(withPreset(filter) { gst_preset_load_preset($0, "Third copy") } != 0)
        #expect(filter["preset-json"] == own["preset-json"])
    }

    /// Tests the notation that `gst-launch-1.0` and applications use.
    @Test func everyLookCanBeWrittenInALaunchLine() throws {
        _ = Setup.once
        for look in Look.all {
            var problem: UnsafeMutablePointer<GError>?
            let line = "videotestsrc ! ntscfilter name=tape @preset=\(look.name) ! fakesink"
            let pipeline = gst_parse_launch(line, &problem)
            let text = problem.map { String(cString: $0.pointee.message) }
            #expect(text == nil)
            defer { gst_object_unref(pipeline) }
            let bin = UnsafeMutableRawPointer(pipeline)?.assumingMemoryBound(to: GstBin.self)
            let element = try #require(gst_bin_get_by_name(bin, "tape"))
            defer { gst_object_unref(element) }
            var json = GValue()
            g_value_init(&json, cgst_type_string())
            defer { g_value_unset(&json) }
            g_object_get_property(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), "preset-json", &json)
            #expect(try NTSCSettings(presetJSON: String(cString: g_value_get_string(&json))) == look.settings)
        }
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
