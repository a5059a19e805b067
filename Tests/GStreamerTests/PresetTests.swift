import CGStreamer
import GStreamer
import GstTestSupport
import Testing

/// Tests presets successively, because GStreamer stores the presets of a type without a lock.
@Suite(.serialized) struct PresetTests {
    @Test func presetListsStoredPropertiesOnly() throws {
        let subject = Subject()
        let list = try #require(withPreset(of: subject) { gst_preset_get_property_names($0) })
        defer { g_strfreev(list) }
        let names = (0..<Int(g_strv_length(list))).compactMap { list[$0].map { String(cString: $0) } }
        #expect(
            names == [
                "flag", "int32", "uint32", "int64", "uint64", "gain", "level", "mood", "other-mood", "parts", "ratio",
                "label", "trouble",
            ])
    }

    @Test func savedPresetCanBeLoaded() {
        let saved = Subject()
        saved.set("int32", "9")
        saved.set("gain", "0.75")
        saved.set("mood", "calm")
        saved.set("parts", "chroma")
        saved.set("enabled", "false")
        #expect(withPreset(of: saved) { gst_preset_save_preset($0, "worn") } != 0)

        let loaded = Subject()
        #expect(withPreset(of: loaded) { gst_preset_load_preset($0, "worn") } != 0)
        #expect(["int32", "gain", "mood", "parts"].map { loaded.get($0) } == ["9", "0.75", "calm", "Colour"])
        #expect(loaded.get("enabled") == "true")
    }

    @Test func loadingUnknownPresetFails() {
        #expect(withPreset(of: Subject()) { gst_preset_load_preset($0, "no such") } == 0)
    }

    private func withPreset<R>(of subject: TestElement, _ body: (OpaquePointer) -> R) -> R {
        withExtendedLifetime(subject) { body(OpaquePointer(subject.element)) }
    }
}
