/// All settings of the analog signal, with their defaults.
///
/// `SettingRow.all` lists their ranges, their names in preset files, and their descriptions. A toggle that is
/// false (`compositeNoise`, `ringing`, …) removes its stage. The stages of the tape (`vhsSharpenEnabled`,
/// `vhsEdgeWaveEnabled`, …) also require `vhsSettings`. The formulas are in docs/NTSC.md, "Stages in playing order".
public struct NTSCSettings: Sendable, Equatable {
    // MARK: General
    public var randomSeed: Int32 = 0
    public var useField = UseField.interleavedUpper
    public var filterType = FilterType.butterworth

    // MARK: The composite signal
    public var inputLumaFilter = LumaFilter.notch
    public var chromaLowpassIn = ChromaLowpass.full
    public var compositePreemphasis: Float = 1
    public var compositeNoise = true
    public var compositeNoiseIntensity: Float = 0.05
    /// Lattice cells of the noise per sample.
    public var compositeNoiseFrequency: Float = 0.5
    public var compositeNoiseDetail: Int32 = 1
    /// Percent.
    public var snowIntensity: Float = 0.00025
    public var snowAnisotropy: Float = 0.5
    public var videoScanlinePhaseShift = ScanlinePhaseShift.degrees180
    /// Quarters of a carrier period.
    public var videoScanlinePhaseShiftOffset: Int32 = 0
    public var chromaDemodulation = ChromaDemodulation.notch
    public var lumaSmear: Float = 0.5

    // MARK: The tape transport
    public var headSwitching = true
    /// Rows.
    public var headSwitchingHeight: Int32 = 8
    /// Rows; the part of `headSwitchingHeight` that is below the picture.
    public var headSwitchingOffset: Int32 = 3
    /// Pixels.
    public var headSwitchingHorizontalShift: Float = 72
    public var headSwitchingStartMidLine = true
    /// As a fraction of the row.
    public var headSwitchingMidLinePosition: Float = 0.95
    public var headSwitchingMidLineJitter: Float = 0.03
    public var trackingNoise = true
    /// Rows.
    public var trackingNoiseHeight: Int32 = 12
    public var trackingNoiseWaveIntensity: Float = 15
    public var trackingNoiseSnowIntensity: Float = 0.025
    public var trackingNoiseSnowAnisotropy: Float = 0.25
    public var trackingNoiseNoiseIntensity: Float = 0.25

    // MARK: The receiver
    public var ringing = true
    /// In units of half the sample rate.
    public var ringingFrequency: Float = 0.45
    public var ringingPower: Float = 4
    public var ringingScale: Float = 4
    public var lumaNoise = true
    public var lumaNoiseIntensity: Float = 0.01
    public var lumaNoiseFrequency: Float = 0.5
    public var lumaNoiseDetail: Int32 = 1
    public var chromaNoise = true
    public var chromaNoiseIntensity: Float = 0.1
    public var chromaNoiseFrequency: Float = 0.05
    public var chromaNoiseDetail: Int32 = 2
    /// Turns.
    public var chromaPhaseError: Float = 0
    public var chromaPhaseNoiseIntensity: Float = 0.001
    /// Pixels.
    public var chromaDelayHorizontal: Float = 0
    /// Rows.
    public var chromaDelayVertical: Int32 = 0

    // MARK: The tape
    public var vhsSettings = true
    public var vhsTapeSpeed = TapeSpeed.lp
    public var vhsChromaLoss: Float = 0.000025
    public var vhsSharpenEnabled = true
    public var vhsSharpen: Float = 0.25
    public var vhsSharpenFrequency: Float = 1
    public var vhsEdgeWaveEnabled = true
    /// Pixels, approximately.
    public var vhsEdgeWave: Float = 0.5
    public var vhsEdgeWaveSpeed: Float = 4
    public var vhsEdgeWaveFrequency: Float = 0.05
    public var vhsEdgeWaveDetail: Int32 = 2
    /// Does not require `vhsSettings`.
    public var vhsChromaVertBlend = true
    public var chromaLowpassOut = ChromaLowpass.full

    // MARK: Scale
    public var scaleSettings = true
    public var bandwidthScale: Float = 1
    public var verticalScale: Float = 1
    public var scaleWithVideoSize = false

    /// Creates settings with the defaults.
    public init() {}
}
