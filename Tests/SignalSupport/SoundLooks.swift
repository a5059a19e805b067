import AnalogAudio
import AnalogVideoModel

/// A preset of `tapeaudio`, with the name of the preset of `ntscfilter` whose picture it belongs to.
package struct SoundLook: Sendable {
    /// Name of the `Look`.
    package let name: String
    /// Description of the sound, for users.
    package let comment: String
    /// Settings of the preset; those of the picture are those of the `Look`.
    package let settings: TapeSettings

    private init(_ name: String, _ comment: String, change: (inout TapeSettings) -> Void) {
        self.name = name
        self.comment = comment
        var settings = TapeSettings()
        if let look = Look.all.first(where: { $0.name == name }) {
            for row in SettingRow.all where TapeSettings.pictureKeys.contains(row.key) {
                row.store(row.value(in: look.settings), in: &settings.picture)
            }
            settings.standard = look.settings.standard
        }
        change(&settings)
        self.settings = settings
    }

    /// A preset without a tape, with the upper limit of its band, its noise and its buzz.
    private init(receiver name: String, _ comment: String, _ highCut: Float, noise: Float, buzz: Float) {
        self.init(name, comment) {
            ($0.track, $0.highCut, $0.receiverNoise, $0.buzz) = (.none, highCut, noise, buzz)
        }
    }
}

extension SoundLook {
    /// All presets, in the order of `Look.all`.
    package static let all = live + tapes + pal + secam + reception

    private static let live: [SoundLook] = [
        SoundLook(
            receiver: "sharp-monitor", "Headphones at the monitor: the sound as it is", 0, noise: -90, buzz: -120),
        // The sound carrier of television reaches 15 kHz.
        SoundLook(receiver: "broadcast", "A strong station: a little noise and buzz", 15_000, noise: -58, buzz: -54),
        SoundLook(receiver: "snowy-antenna", "A distant station: noise and buzz", 12_000, noise: -30, buzz: -32),
        SoundLook(receiver: "hue-off", "An old set: soft noise and buzz", 12_000, noise: -54, buzz: -48),
        SoundLook("black-and-white-set", "A small loudspeaker: no bass, no treble, buzz") {
            ($0.track, $0.lowCut, $0.highCut, $0.receiverNoise, $0.buzz) = (.none, 180, 5_000, -46, -40)
        },
        SoundLook(receiver: "game-console", "A modulator for the aerial socket: buzz", 12_000, noise: -60, buzz: -34),
        SoundLook("composite-camcorder", "The microphone of a camcorder, with automatic level control") {
            ($0.track, $0.lowCut, $0.highCut, $0.receiverNoise, $0.buzz) = (.none, 120, 10_000, -50, -60)
            $0.levelControl = true
        },
    ]

    private static let tapes: [SoundLook] = [
        SoundLook("vhs-sp", "Hi-Fi tracks of a good tape") { ($0.track, $0.tapeSpeed) = (.hiFi, .sp) },
        SoundLook("vhs-lp", "The linear track at long play: mono, hiss and buzz") { $0.tapeSpeed = .lp },
        SoundLook("vhs-ep", "The linear track at extended play: dull, unsteady, with hiss and buzz") {
            ($0.tapeSpeed, $0.linearWowFlutter, $0.linearNoise) = (.ep, 0.4, -40)
        },
        SoundLook("third-copy", "A third-generation copy: a narrow band, hiss, level control") {
            ($0.generations, $0.azimuthError, $0.linearNoise, $0.levelControl) = (3, 4, -44, true)
        },
        SoundLook("worn-tape", "A worn-out tape: wow, dull sound, drop-outs") {
            ($0.linearWowFlutter, $0.azimuthError, $0.linearNoise, $0.buzz) = (0.9, 8, -37, -38)
        },
        SoundLook("bad-tracking", "Hi-Fi tracks that the heads miss: loud clicks and crackling") {
            ($0.track, $0.dropOuts, $0.dropOutLevel, $0.switchingNoise) = (.hiFi, .noise, -26, -34)
        },
    ]

    private static let pal: [SoundLook] = [
        SoundLook(receiver: "pal-broadcast", "A strong PAL station: hardly any noise", 15_000, noise: -66, buzz: -62),
        SoundLook("pal-simple-set", "An early television set: little bass, noise and buzz") {
            ($0.track, $0.lowCut, $0.highCut, $0.receiverNoise, $0.buzz) = (.none, 90, 9_000, -50, -43)
        },
        SoundLook("pal-vhs", "The linear track of a PAL tape at standard play: mono, hiss and buzz") {
            ($0.tapeSpeed, $0.linearNoise, $0.buzz) = (.sp, -45, -46)
        },
    ]

    private static let secam: [SoundLook] = [
        SoundLook(receiver: "secam-broadcast", "A strong SECAM station: little noise", 15_000, noise: -72, buzz: -76),
        SoundLook(receiver: "secam-fire", "A weak SECAM station: noise and buzz", 10_000, noise: -36, buzz: -38),
    ]

    private static let reception: [SoundLook] = [
        SoundLook(receiver: "weak-aerial", "A weak station: much noise and buzz", 13_000, noise: -24, buzz: -36),
        SoundLook("rolling-picture", "An old set: loud noise and buzz, no bass") {
            ($0.track, $0.lowCut, $0.highCut, $0.receiverNoise, $0.buzz) = (.none, 120, 8_000, -40, -28)
        },
    ]
}
