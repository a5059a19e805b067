import AnalogAudio
import CGStreamer
import Foundation
import GstTestSupport
import SignalSupport
import Testing

@testable import GStreamer
@testable import TapeAudio

/// The presets that are installed with the plugin.
@Suite(.serialized) struct SoundPresetTests {
    private static let file = Setup.package.appending(path: "presets/GstTapeAudio.prs")

    /// `UPDATE_PRESETS=1 swift test --filter SoundPresetTests` overwrites the file.
    @Test func presetFileContainsAllLooks() throws {
        var text = "[_presets_]\nversion=2.0.0\nelement-name=GstTapeAudio\n"
        for look in SoundLook.all {
            text += "\n[\(look.name)]\n_meta/comment=\(look.comment)\n"
            for property in TapeAudioSettings.properties where property.goesIntoPresets {
                text += "\(property.name)=\(try value(of: property, in: look.settings))\n"
            }
        }
        if ProcessInfo.processInfo.environment["UPDATE_PRESETS"] == "1" { try Data(text.utf8).write(to: Self.file) }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    @Test(arguments: SoundLook.all.map(\.name))
    func aLookSetsExactlyItsSettings(name: String) throws {
        let look = try #require(SoundLook.all.first { $0.name == name })
        let subject = TestElement(
            "tapeaudio", ["enabled": "false", "generations": "7", "buzz": "-3", "random-seed": "9"])
        #expect(gst_preset_load_preset(OpaquePointer(subject.element), name) != 0)
        for property in TapeAudioSettings.properties where property.goesIntoPresets {
            let other = TestElement("tapeaudio")
            other[property.name] = try value(of: property, in: look.settings)
            #expect(subject[property.name] == other[property.name], "\(property.name)")
        }
        #expect(subject["enabled"] == "false")
    }

    /// The value in the notation that `gst_value_deserialize` reads for the type of the property.
    private func value(of property: Property<TapeAudioSettings>, in sound: TapeSettings) throws -> String {
        var settings = TapeAudioSettings()
        settings.sound = sound
        let spec = try #require(property.makeSpec(TapeAudioSettings()))
        g_param_spec_ref_sink(spec)
        defer { g_param_spec_unref(spec) }
        var value = GValue()
        g_value_init(&value, spec.pointee.value_type)
        defer { g_value_unset(&value) }
        property.read(settings, TapeAudioReport(), &value)
        if spec.pointee.value_type == cgst_type_float() { return "\(g_value_get_float(&value))" }
        let text = try #require(gst_value_serialize(&value))
        defer { g_free(text) }
        return String(cString: text)
    }
}
