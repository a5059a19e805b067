import AnalogVideoModel
import Durations

/// The track of the tape that holds the sound.
public enum SoundTrack: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case none, linear, hiFi

    public static let typeName = "Track"

    public var nick: String { ["none", "linear", "hi-fi"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .none: "No tape: only the receiver with its noise, buzz and band limits"
        case .linear: "Linear track: mono, 100 Hz to 10, 7 or 4 kHz, depending on tape-speed"
        case .hiFi: "Hi-Fi tracks: all channels, 20 Hz to 20 kHz"
        }
    }
}

/// Speed of the tape, which limits the band of the linear track.
public enum SoundTapeSpeed: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case sp, lp, ep

    public static let typeName = "TapeSpeed"

    public var nick: String { ["sp", "lp", "ep"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .sp: "Standard play: the linear track reaches 10 kHz"
        case .lp: "Long play: the linear track reaches 7 kHz"
        case .ep: "Extended play: the linear track reaches 4 kHz"
        }
    }

    /// Upper limit of the linear track, in hertz.
    var highCut: Double { [10_000, 7_000, 4_000][Int(rawValue)] }
    /// Speed of the tape, in millimetres per second.
    var millimetresPerSecond: Double { [33.35, 16.67, 11.12][Int(rawValue)] }
}

/// Sound while the signal of the tape is lost.
public enum DropOutSound: Int32, SettingChoice {
    /// The values; `summary` describes each value.
    case off, linear, noise

    public static let typeName = "DropOuts"

    public var nick: String { ["off", "linear", "noise"][Int(rawValue)] }

    public var summary: String {
        switch self {
        case .off: "No drop-outs"
        case .linear: "Hi-Fi tracks fall back to the linear track; the linear track is 12 dB softer"
        case .noise: "Hi-Fi tracks are replaced by noise; noise is added to the linear track, which is 12 dB softer"
        }
    }
}

/// All settings of the sound, with their defaults; docs/elements/tapeaudio.md has their ranges and formulas.
///
/// Levels are in dB relative to full scale. At `silence`, a source of noise is off.
public struct TapeSettings: Sendable, Equatable {
    /// Level at which a source of noise is off, in dB.
    public static let silence: Float = -120
    /// The largest number of rows of a picture.
    public static let mostRows: Int32 = 8_640
    /// The largest number of generations.
    public static let mostGenerations: Int32 = 8
    /// The least lower limit of the band in hertz; rounding errors would make filters below it unstable.
    static let leastLowCut: Float = 1
    /// The least upper limit of the band in hertz: the lowest frequency that is heard.
    static let leastHighCut: Float = 20
    /// The largest azimuth error, in minutes of arc.
    public static let largestAzimuthError: Float = 30
    /// The largest magnitude of `videoOffset`.
    public static let largestVideoOffset = Duration.seconds(86_400)
    /// The largest speed error, as a weighted peak in percent.
    public static let largestWowFlutter: Float = 2
    /// Keys of the settings of `picture` that have an effect on the sound.
    public static let pictureKeys: Set<String> = [
        "random_seed", "use_field", "snow_intensity", "snow_anisotropy", "snow_model", "tracking_noise",
        "tracking_noise_height", "tracking_noise_snow_intensity", "tracking_noise_snow_anisotropy", "scale_settings",
        "vertical_scale", "scale_with_video_size",
    ]

    // MARK: The track
    /// The track that holds the sound.
    public var track = SoundTrack.linear
    /// Speed of the tape.
    public var tapeSpeed = SoundTapeSpeed.lp
    /// Television standard of sound and picture.
    public var standard: TelevisionStandard {
        get { picture.standard }
        set { picture.standard = newValue }
    }
    /// Lower limit of the band in hertz, at least `leastLowCut` (0 = that of the track).
    public var lowCut: Float = 0
    /// Upper limit of the band in hertz, at least `leastHighCut` (0 = that of the track).
    public var highCut: Float = 0
    /// Number of times that the sound has been copied from tape to tape.
    public var generations: Int32 = 1

    // MARK: Recording
    /// Gain before the recording, in dB.
    public var recordLevel: Float = 0
    /// Whether the recorder controls its gain.
    public var levelControl = false
    /// Level to which the recorder controls its gain, in dB.
    public var levelControlTarget: Float = -12
    /// Time constant of the pre-emphasis and of the de-emphasis, in microseconds (0 = none).
    public var emphasis: Float = 50
    /// Level at which the tape clips, in dB.
    public var clipLevel: Float = 0

    // MARK: Playback
    /// Amplification of high frequencies in playback (0 = none).
    public var trebleBoost: Float = 0.25
    /// Angle between the heads of recording and playback of the linear track, in minutes of arc.
    public var azimuthError: Float = 0
    /// Speed error of the linear track, weighted peak in percent.
    public var linearWowFlutter: Float = 0.25
    /// Speed error of the Hi-Fi tracks, weighted peak in percent.
    public var hiFiWowFlutter: Float = 0.005
    /// Share of flutter in the speed error; the rest is wow.
    public var flutterShare: Float = 0.4

    // MARK: Noise
    /// Noise of the linear track, in dB.
    public var linearNoise: Float = -42
    /// Noise of the Hi-Fi tracks, in dB.
    public var hiFiNoise: Float = -70
    /// Noise of the receiver, in dB.
    public var receiverNoise = silence
    /// Height of the synchronization pulses that leak into the sound, in dB.
    public var buzz: Float = -42
    /// Peak of the clicks of the Hi-Fi heads, in dB.
    public var switchingNoise: Float = -60

    // MARK: Drop-outs
    /// Sound while the signal is lost.
    public var dropOuts = DropOutSound.linear
    /// Duration of a drop-out in milliseconds.
    public var dropOutLength: Float = 1
    /// Noise in a drop-out with `DropOutSound.noise`, in dB.
    public var dropOutLevel: Float = -20
    /// Settings of `ntscfilter` that decide where the picture has streaks: seed, snow, tracking noise, field and scale.
    public var picture = NTSCSettings()
    /// Number of columns of the picture.
    public var videoWidth: Int32 = 640
    /// Number of rows of the picture.
    public var videoHeight: Int32 = 480
    /// Frames per second of the picture.
    public var videoFramerate = FrameRate(numerator: 30_000, denominator: 1_001)
    /// Timestamp of the picture less that of the sound with it.
    public var videoOffset = Duration.zero

    /// Creates settings with the defaults.
    public init() {}
}

/// Frames per second of a picture.
public struct FrameRate: Sendable, Equatable {
    /// Number of frames in `denominator` seconds.
    public var numerator: Int32
    /// Number of seconds; must not be 0.
    public var denominator: Int32

    /// The rate `numerator / denominator`.
    public init(numerator: Int32, denominator: Int32) { (self.numerator, self.denominator) = (numerator, denominator) }

    /// The largest rate at which drop-outs are computed, in frames per second.
    public static let largest: Int32 = 240

    /// Frames per second; nil if they are variable or too many.
    var perSecond: Double? {
        guard numerator > 0, denominator > 0 else { return nil }
        let rate = Double(numerator) / Double(denominator)
        return rate <= Double(Self.largest) ? rate : nil
    }
}

/// The amplitude of a level in dB; 0 at `TapeSettings.silence` or less.
func amplitude(ofLevel level: Float) -> Double { level > TapeSettings.silence ? decibels(level) : 0 }

/// The factor of a gain in dB.
func decibels(_ gain: Float) -> Double { power(10, Double(gain) / 20) }
