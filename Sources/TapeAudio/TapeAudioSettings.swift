import AnalogAudio
import AnalogVideoModel
import Durations
import GStreamer

/// Properties of `tapeaudio`.
struct TapeAudioSettings: ElementSettings {
    typealias Report = TapeAudioReport

    var sound = TapeSettings()
    var isEnabled = true

    static let properties: [Property<Self>] =
        [
            .bool(
                "enabled", \.isEnabled, "Applies the effect; false passes sound through unchanged, without a copy"
            ).storedInPresets(false)
        ] + track + recording + playback + noise + dropOuts

    private static let track: [Property<Self>] = [
        .choice("track", \.sound.track, "Track of the tape that holds the sound"),
        .choice("tape-speed", \.sound.tapeSpeed, "Speed of the tape, which limits the band of the linear track"),
        .choice("standard", \.sound.standard, "Television standard, whose lines and fields leak into the sound"),
        .float(
            "low-cut", \.sound.lowCut, in: 0...1_000,
            "Lower limit of the band, in hertz, at least 1 (0 = that of the track)"),
        .float(
            "high-cut", \.sound.highCut, in: 0...96_000,
            "Upper limit of the band, in hertz, at least 20 (0 = that of the track and the tape speed)"),
        .int32(
            "generations", \.sound.generations, in: 1...TapeSettings.mostGenerations,
            "Number of times that the sound has been copied from tape to tape"),
    ]

    private static let recording: [Property<Self>] = [
        .float("record-level", \.sound.recordLevel, in: -40...40, "Gain before the recording, in dB"),
        .bool(
            "level-control", \.sound.levelControl,
            "Controls the gain of the recording automatically: loud sound becomes softer, soft sound slowly louder"),
        .float(
            "level-control-target", \.sound.levelControlTarget, in: -40...0,
            "Level of the automatic control, in dB of full scale"),
        .float(
            "emphasis", \.sound.emphasis, in: 0...300,
            "Time constant of pre-emphasis and de-emphasis, in microseconds (0 = none)"),
        .float("clip-level", \.sound.clipLevel, in: -40...20, "Level at which the tape clips, in dB of full scale"),
    ]

    private static let playback: [Property<Self>] = [
        .float(
            "treble-boost", \.sound.trebleBoost, in: 0...4,
            "Amplification of high frequencies in playback of the linear track (0 = none)"),
        .float(
            "azimuth-error", \.sound.azimuthError, in: 0...TapeSettings.largestAzimuthError,
            "Angle between the heads of recording and playback of the linear track, in minutes of arc"),
        .float(
            "linear-wow-flutter", \.sound.linearWowFlutter, in: 0...TapeSettings.largestWowFlutter,
            "Wow and flutter of the linear track, as the weighted peak of IEC 60386 in percent"),
        .float(
            "hifi-wow-flutter", \.sound.hiFiWowFlutter, in: 0...TapeSettings.largestWowFlutter,
            "Wow and flutter of the Hi-Fi tracks, as the weighted peak of IEC 60386 in percent"),
        .float(
            "flutter-share", \.sound.flutterShare, in: 0...1,
            "Share of fast flutter in wow and flutter (0 = only slow wow, 1 = only flutter)"),
    ]

    private static let noise: [Property<Self>] = [
        .level("linear-noise", \.sound.linearNoise, "Noise of the linear track, in dB of full scale (-120 = none)"),
        .level("hifi-noise", \.sound.hiFiNoise, "Noise of the Hi-Fi tracks, in dB of full scale (-120 = none)"),
        .level(
            "receiver-noise", \.sound.receiverNoise,
            "Noise of the receiver, with and without a tape, in dB of full scale (-120 = none)"),
        .level(
            "buzz", \.sound.buzz,
            "Height of the synchronization pulses of the picture in the sound, in dB of full scale (-120 = none)"),
        .level(
            "head-switching-noise", \.sound.switchingNoise,
            "Peak of the clicks at the changes of the Hi-Fi heads, in dB of full scale (-120 = none)"),
    ]

    private static let mostVideoOffset = Int64(nanosecondsOf: TapeSettings.largestVideoOffset)

    private static let dropOuts: [Property<Self>] =
        [
            .choice("drop-outs", \.sound.dropOuts, "Sound while the signal of the tape is lost"),
            .float(
                "drop-out-length", \.sound.dropOutLength, in: 0.1...20,
                "Duration of a drop-out, in milliseconds"),
            .level(
                "drop-out-level", \.sound.dropOutLevel,
                "Noise in a drop-out with drop-outs=noise, in dB of full scale (-120 = none)"),
            .int32(
                "video-width", \.sound.videoWidth, in: 1...65_536, "Number of columns of the picture beside the sound"
            ).storedInPresets(false),
            .int32(
                "video-height", \.sound.videoHeight, in: 1...TapeSettings.mostRows,
                "Number of rows of the picture beside the sound"
            ).storedInPresets(false),
            .fraction(
                "video-framerate", from: .init(0, 1), to: .init(240, 1),
                "Frame rate of the picture beside the sound (0/1 = no drop-outs)",
                get: { .init($0.sound.videoFramerate.numerator, $0.sound.videoFramerate.denominator) },
                set: { $0.sound.videoFramerate = FrameRate(numerator: $1.numerator, denominator: $1.denominator) }
            ).storedInPresets(false),
            .int64(
                "video-offset", in: -mostVideoOffset...mostVideoOffset,
                "Timestamp of the picture less that of the sound with it, in nanoseconds",
                get: { Int64(nanosecondsOf: $0.sound.videoOffset) }, set: { $0.sound.videoOffset = .nanoseconds($1) }
            ).storedInPresets(false),
        ] + SettingRow.all.filter { TapeSettings.pictureKeys.contains($0.key) }.map(Property.init(picture:))
}

extension Property<TapeAudioSettings> {
    fileprivate static func level(_ name: String, _ field: Field<Float>, _ blurb: String) -> Self {
        .float(name, field, in: TapeSettings.silence...0, blurb)
    }

    /// A property for a value of a list.
    fileprivate static func choice<Choice: SettingChoice>(_ name: String, _ field: Field<Choice>, _ blurb: String)
        -> Self
    {
        .choice(
            name, typeName: "\(TapeAudio.typeName)\(Choice.typeName)",
            options: Choice.allCases.map { ($0.rawValue, $0.nick, $0.summary) }, blurb,
            get: { $0[keyPath: field].rawValue },
            set: { if let choice = Choice(rawValue: $1) { $0[keyPath: field] = choice } })
    }

    /// A setting of the picture, with the name and the range that it has in `ntscfilter`.
    fileprivate init(picture row: SettingRow) {
        switch row.kind {
        case .toggle:
            self = .bool(
                row.propertyName, row.blurb, get: { row.value(in: $0.sound.picture) != 0 },
                set: { row.store($1 ? 1 : 0, in: &$0.sound.picture) })
        case .integer(let range):
            self = .int32(
                row.propertyName, in: range, row.blurb, get: { Int32(row.value(in: $0.sound.picture)) },
                set: { row.store(Double($1), in: &$0.sound.picture) })
        case .real(let range):
            self = .float(
                row.propertyName, in: range, row.blurb, get: { Float(row.value(in: $0.sound.picture)) },
                set: { row.store(Double($1), in: &$0.sound.picture) })
        case .choice(let typeName, let options):
            // The values are those of `ntscfilter`, and a type is unique in a process.
            self = .choice(
                row.propertyName, typeName: "\(TapeAudio.typeName)\(typeName)", options: options, row.blurb,
                get: { Int32(row.value(in: $0.sound.picture)) }, set: { row.store(Double($1), in: &$0.sound.picture) })
        }
    }
}
