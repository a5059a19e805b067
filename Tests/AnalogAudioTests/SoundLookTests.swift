import AnalogAudio
import AnalogVideoModel
import Foundation
import SignalSupport
import Testing

struct SoundLookTests {
    @Test func everyLookOfThePictureHasASound() { #expect(SoundLook.all.map(\.name) == Look.all.map(\.name)) }

    /// Drop-outs of both presets are at the same places.
    @Test(arguments: SoundLook.all.map(\.name))
    func theSettingsOfThePictureAreThoseOfTheLook(name: String) throws {
        let (sound, look) = try (
            #require(SoundLook.all.first { $0.name == name }), #require(Look.all.first { $0.name == name })
        )
        for row in SettingRow.all where TapeSettings.pictureKeys.contains(row.key) {
            #expect(row.value(in: sound.settings.picture) == row.value(in: look.settings), "\(row.key)")
        }
        #expect(sound.settings.standard == look.settings.standard)
    }

    /// Level of the tone without a tape, and of what each preset adds, in bands.
    @Test func soundsAreDistinct() {
        let tone = Sound(hertz: 440, amplitude: 0.2, seconds: 1, channels: 2)
        let sounds = SoundLook.all.map { look in
            let channel = tone.played(look.settings).channels[0].dropFirst(4_800)
            return [30.0, 60, 440, 3_000, 9_000, 14_000].map { hertz in
                (0..<8).map { magnitude(channel, hertz: hertz * (1 + Double($0) / 40), rate: 48_000) }.reduce(0, +)
            }.map { decibels(max($0, 1e-3)) }
        }
        for (index, sound) in sounds.enumerated() {
            for other in 0..<index {
                let difference = zip(sound, sounds[other]).map { abs($0 - $1) }.max()!
                #expect(difference > 3, "\(SoundLook.all[index].name), \(SoundLook.all[other].name): \(difference) dB")
            }
        }
    }
}
