/// All settings of the analog signal, with their defaults.
///
/// `SettingRow.all` lists their ranges, their names in preset files, and their descriptions. A toggle that is false
/// (`compositeNoise`, `ringing`, …) removes its stage. The stages of the tape (`vhsSharpenEnabled`,
/// `vhsEdgeWaveEnabled`, …) also require `vhsSettings`. See docs/NTSC.md, "Stages in playing order".
public struct NTSCSettings: Sendable, Equatable {
    /// The largest number of generations.
    public static let mostGenerations: Int32 = 8

    // MARK: General
    /// Seed of the random numbers.
    public var randomSeed: Int32 = 0
    /// Television standard of the signal.
    public var standard = TelevisionStandard.ntsc
    /// Rows of a progressive frame that are processed as one field.
    public var useField = UseField.interleavedUpper
    /// Type of all low-pass filters in the signal path.
    public var filterType = FilterType.butterworth

    // MARK: The composite signal
    /// Filter that removes luma from the chroma band before chroma is added.
    public var inputLumaFilter = LumaFilter.notch
    /// Bandwidth of chroma before it is added to luma.
    public var chromaLowpassIn = ChromaLowpass.full
    /// Width of the black edge at the right of the input, as a fraction of the row (0 = none).
    public var blackLineCut: Float = 0
    /// Sharpening of the composite signal (0 = off, negative values blur).
    public var compositePreemphasis: Float = 1
    /// Adds noise to the composite signal, which becomes noise in both luma and chroma.
    public var compositeNoise = true
    /// Strength of the composite noise (0 = none, 1 = strongest).
    public var compositeNoiseIntensity: Float = 0.05
    /// Frequency of the composite noise, in noise cells per sample.
    public var compositeNoiseFrequency: Float = 0.5
    /// Number of octaves of the composite noise.
    public var compositeNoiseDetail: Int32 = 1
    /// Amount of snow, in percent.
    public var snowIntensity: Float = 0.00025
    /// Distribution of snow over the rows (0 = even, 1 = concentrated in single rows).
    public var snowAnisotropy: Float = 0.5
    /// Kind of snow.
    public var snowModel = SnowModel.streaks
    /// Phase shift of the chroma carrier of NTSC from one row to the next.
    public var videoScanlinePhaseShift = ScanlinePhaseShift.degrees180
    /// Phase offset of the chroma carrier, in quarters of a period.
    public var videoScanlinePhaseShiftOffset: Int32 = 0
    /// Filter with which the receiver separates chroma from luma.
    public var chromaDemodulation = ChromaDemodulation.notch
    /// Decoder of a PAL receiver.
    public var palDecoder = PALDecoder.delayLine
    /// Smear of luma to the right (0 = none, 1 = most).
    public var lumaSmear: Float = 0.5

    // MARK: Reception
    /// Level of a reflection, relative to the signal (0 = none).
    public var ghostLevel: Float = 0
    /// Delay of the reflection, in microseconds.
    public var ghostDelay: Float = 2
    /// Phase by which the carrier of the reflection lags, in turns.
    public var ghostPhase: Float = 0
    /// Level of a second station in the channel, relative to the first (0 = none).
    public var coChannelLevel: Float = 0
    /// Distance of the carriers of both stations, in hertz.
    public var coChannelOffset: Float = 10_000

    /// Detuning of the line oscillator, relative to the largest that the pulses hold.
    public var horizontalHold: Float = 0
    /// Detuning of the field oscillator, relative to the largest that the pulses hold.
    public var verticalHold: Float = 0
    /// Noise of the synchronization pulses, relative to their height.
    public var syncNoise: Float = 0

    // MARK: The tape transport
    /// Shifts the last rows of each field sideways, where the recorder switches between its video heads.
    public var headSwitching = true
    /// Number of rows that head switching affects, including hidden rows.
    public var headSwitchingHeight: Int32 = 8
    /// Number of rows of `headSwitchingHeight` that are hidden below the picture.
    public var headSwitchingOffset: Int32 = 3
    /// Maximum shift by head switching, in pixels.
    public var headSwitchingHorizontalShift: Float = 72
    /// Starts head switching inside its first row, with a bright spike at the start.
    public var headSwitchingStartMidLine = true
    /// Position in the first row at which head switching starts, as a fraction of the row.
    public var headSwitchingMidLinePosition: Float = 0.95
    /// Random variation of `headSwitchingMidLinePosition`, as a fraction of the row (0 = none).
    public var headSwitchingMidLineJitter: Float = 0.03
    /// Shifts the last rows of each field and adds noise, as when the video heads miss their track.
    public var trackingNoise = true
    /// Number of rows that tracking noise affects.
    public var trackingNoiseHeight: Int32 = 12
    /// Strength of the sideways shift by tracking noise (0 = none, negative values mirror the shift).
    public var trackingNoiseWaveIntensity: Float = 15
    /// Amount of snow in the rows of tracking noise (0 = none, 1 = most).
    public var trackingNoiseSnowIntensity: Float = 0.025
    /// Distribution of snow over the rows of tracking noise (0 = even, 1 = concentrated in single rows).
    public var trackingNoiseSnowAnisotropy: Float = 0.25
    /// Strength of the grain in the rows of tracking noise (0 = none, 1 = strongest).
    public var trackingNoiseNoiseIntensity: Float = 0.25

    /// Shifts rows by whole periods of the carrier, as if the receiver followed the burst of each row.
    public var burstLock = false

    // MARK: The receiver
    /// Adds damped oscillations (ringing) beside sharp edges.
    public var ringing = true
    /// Frequency of ringing, in units of half the sample rate.
    public var ringingFrequency: Float = 0.45
    /// Quality factor of the ringing filter.
    public var ringingPower: Float = 4
    /// Strength of ringing (0 = none, 10 = strongest).
    public var ringingScale: Float = 4
    /// Adds noise to luma only.
    public var lumaNoise = true
    /// Strength of the luma noise (0 = none, 1 = strongest).
    public var lumaNoiseIntensity: Float = 0.01
    /// Frequency of the luma noise, in noise cells per sample.
    public var lumaNoiseFrequency: Float = 0.5
    /// Number of octaves of the luma noise.
    public var lumaNoiseDetail: Int32 = 1
    /// Adds noise to chroma only.
    public var chromaNoise = true
    /// Strength of the chroma noise (0 = none, 1 = strongest).
    public var chromaNoiseIntensity: Float = 0.1
    /// Frequency of the chroma noise, in noise cells per sample.
    public var chromaNoiseFrequency: Float = 0.05
    /// Number of octaves of the chroma noise.
    public var chromaNoiseDetail: Int32 = 2
    /// Phase error of the chroma carrier, in turns; in NTSC it rotates all hues.
    public var chromaPhaseError: Float = 0
    /// Maximum random rotation of the hue of each row, in turns (0 = none).
    public var chromaPhaseNoiseIntensity: Float = 0.001
    /// Shift of chroma relative to luma, in pixels to the right.
    public var chromaDelayHorizontal: Float = 0
    /// Shift of chroma relative to luma, in rows of a field downward.
    public var chromaDelayVertical: Int32 = 0
    /// Place in the signal path at which chroma is shifted sideways.
    public var chromaDelayPosition = ChromaDelayPosition.receiver

    // MARK: The tape
    /// Simulates a VHS tape.
    public var vhsSettings = true
    /// Tape speed of the recording.
    public var vhsTapeSpeed = TapeSpeed.lp
    /// Probability that a row loses its chroma (0 = never, 1 = always).
    public var vhsChromaLoss: Float = 0.000025
    /// Sharpens luma as a VHS recorder does.
    public var vhsSharpenEnabled = true
    /// Strength of the recorder's sharpening (0 = none, 5 = strongest).
    public var vhsSharpen: Float = 0.25
    /// Frequency above which the recorder sharpens, relative to the luma bandwidth of the tape speed.
    public var vhsSharpenFrequency: Float = 1
    /// Shifts rows sideways by varying amounts, so that vertical edges become wavy.
    public var vhsEdgeWaveEnabled = true
    /// Approximate amplitude of the edge wave, in pixels.
    public var vhsEdgeWave: Float = 0.5
    /// Speed at which the edge wave changes (0 = the same in all frames, 10 = fastest).
    public var vhsEdgeWaveSpeed: Float = 4
    /// Frequency of the edge wave, in noise cells per row.
    public var vhsEdgeWaveFrequency: Float = 0.05
    /// Number of octaves of the edge wave.
    public var vhsEdgeWaveDetail: Int32 = 2
    /// Blends the chroma of each row with that of the row above, in PAL two rows above; does not require `vhsSettings`.
    public var vhsChromaVertBlend = true
    /// Number of times that luma and chroma are combined and separated again after the tape.
    public var ycRecombinations: Int32 = 0
    /// Number of recordings, one from the other.
    public var generations: Int32 = 1
    /// Bandwidth of chroma at the end of the signal path.
    public var chromaLowpassOut = ChromaLowpass.full

    // MARK: Scale
    /// Applies `bandwidthScale`, `verticalScale` and `scaleWithVideoSize`.
    public var scaleSettings = true
    /// Horizontal scale of all effects (1 is for 640x480, or 768x576 in PAL and SECAM; 2 for one twice as wide).
    public var bandwidthScale: Float = 1
    /// Vertical scale of all effects (1 is for 640x480, or 768x576 in PAL and SECAM; 2 for one twice as high).
    public var verticalScale: Float = 1
    /// Multiplies `bandwidthScale` and `verticalScale` by the picture height divided by 480, or 576 in PAL and SECAM.
    public var scaleWithVideoSize = false

    /// Creates settings with the defaults.
    public init() {}
}
