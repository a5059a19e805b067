import AnalogVideoModel

/// Stages of one field; docs/NTSC.md, "Stages in playing order", describes them.
///
/// A stage that is off is nil. A path serves one field of all frames while settings, size and scan stay the same.
struct SignalPath: Sendable {
    private(set) var field: FieldFacts
    /// Number of blocks of composite signal above and below a block that the block depends on.
    let reach: Reach

    /// Matrices of luma and chroma.
    let axes: ChromaAxes

    // MARK: Encoding to the composite signal
    private(set) var roll: VerticalRoll?
    /// Number of columns at the right that are black; see docs/NTSC.md, "Black line".
    let blackColumns: Int
    let lumaBandLimit: LumaBandLimit?
    let inputLumaFilter: InputLumaFilter?
    let chromaLowpassIn: ChromaBandLimit?
    let frequencyModulation: FrequencyModulation?
    private(set) var carrier: Carrier
    let preemphasis: CompositePreemphasis?
    private(set) var compositeNoise: RowNoise?
    let echo: Echo?
    private(set) var coChannel: CoChannel?
    private(set) var snow: Snow?
    private(set) var weakSignal: WeakSignal?
    private(set) var headSwitching: HeadSwitching?
    private(set) var trackingNoise: TrackingNoise?

    // MARK: Decoding from the composite signal
    private(set) var demodulation: Demodulation
    let lumaSmear: LumaSmear?
    let ringing: Ringing?
    private(set) var lumaNoise: RowNoise?
    let discriminator: Discriminator?
    private(set) var chromaNoiseI: RowNoise?
    private(set) var chromaNoiseQ: RowNoise?
    let phaseError: ChromaPhaseError?
    private(set) var phaseNoise: ChromaPhaseNoise?
    let chromaDelay: ChromaDelay?
    let delayLine: DelayLine?
    private(set) var edgeWave: EdgeWave?
    let tapeBandwidth: TapeBandwidth?
    let chromaLoss: ChromaLoss?
    let tapeSharpening: TapeSharpening?
    let blendsVertically: Bool
    let generations: Generations?
    let chromaLowpassOut: ChromaBandLimit?
    private(set) var deflection: Deflection?

    // MARK: Several stages in one pass
    private(set) var encodingSweep: EncodingSweep?
    private(set) var receivingSweep: ReceivingSweep?
    private(set) var combSweep: CombSweep?
    private(set) var tapeSweep: TapeSweep?
    private(set) var colourSweep: ColourSweep?

    init(_ settings: NTSCSettings, _ field: FieldFacts) {
        self.field = field
        axes = ChromaAxes(field.standard)
        roll = VerticalRoll(settings, field)
        blackColumns = Int(wholeNumber(Float(field.width) * settings.blackLineCut))
        lumaBandLimit = LumaBandLimit(settings, field)
        inputLumaFilter = InputLumaFilter(settings, field)
        chromaLowpassIn = ChromaBandLimit(settings.chromaLowpassIn, settings, field)
        frequencyModulation = FrequencyModulation(field)
        carrier = Carrier(settings, field)
        preemphasis = CompositePreemphasis(settings, field)
        compositeNoise = RowNoise(
            .composite, field, isOn: settings.compositeNoise, intensity: settings.compositeNoiseIntensity,
            frequency: settings.compositeNoiseFrequency, detail: settings.compositeNoiseDetail)
        echo = Echo(settings, field)
        coChannel = CoChannel(settings, field)
        snow = Snow(settings, field)
        weakSignal = WeakSignal(settings, field)
        headSwitching = HeadSwitching(settings, field)
        trackingNoise = TrackingNoise(settings, field)

        demodulation = Demodulation(settings, field, carrier: carrier)
        lumaSmear = LumaSmear(settings, field)
        ringing = Ringing(settings, field)
        lumaNoise = RowNoise(
            .luma, field, isOn: settings.lumaNoise, intensity: settings.lumaNoiseIntensity,
            frequency: settings.lumaNoiseFrequency, detail: settings.lumaNoiseDetail)
        discriminator = Discriminator(field)
        // A receiver without colour, or whose colour killer acts, has no chroma noise either.
        let showsChroma = settings.chromaNoise && field.hasColour && settings.chromaDemodulation != .none
        let chromaNoise = settings.chromaNoiseIntensity * (weakSignal?.colour ?? 1)
        chromaNoiseI = RowNoise(
            .chromaI, field, isOn: showsChroma, intensity: chromaNoise,
            frequency: settings.chromaNoiseFrequency, detail: settings.chromaNoiseDetail)
        chromaNoiseQ = RowNoise(
            .chromaQ, field, isOn: showsChroma, intensity: chromaNoise,
            frequency: settings.chromaNoiseFrequency, detail: settings.chromaNoiseDetail)
        phaseError = ChromaPhaseError(settings, field)
        phaseNoise = ChromaPhaseNoise(settings, field)
        chromaDelay = ChromaDelay(settings, field)
        delayLine = DelayLine(settings, field)
        edgeWave = EdgeWave(settings, field)
        tapeBandwidth = TapeBandwidth(settings, field)
        chromaLoss = ChromaLoss(settings, field)
        tapeSharpening = TapeSharpening(settings, field)
        blendsVertically = settings.vhsChromaVertBlend && field.hasColour && field.standard != .secam
        generations = Generations(settings, field)
        chromaLowpassOut = ChromaBandLimit(settings.chromaLowpassOut, settings, field)
        deflection = Deflection(settings, field)
        reach = Reach(
            demodulation, chromaDelay, combDistance: field.standard.combDistance, atMost: field.rowCount)
        makeSweeps()
    }

    /// Number of recordings, one from the other.
    var generationCount: Int { generations?.count ?? 1 }

    /// Number of rows above a row on whose chroma that of the row depends.
    var chromaRowsAbove: Int {
        (delayLine == nil ? 0 : 1) + (blendsVertically ? generationCount * field.standard.combDistance : 0)
    }

    /// Sets the frame number, which determines the random streams and the phase of the carrier.
    mutating func begin(frame: UInt64) {
        guard frame != field.frame else { return }
        field.frame = frame
        carrier.frame = frame
        demodulation.carrier = carrier
        compositeNoise?.begin(.composite, field)
        coChannel?.begin(field)
        snow?.begin(field)
        weakSignal?.begin(field)
        headSwitching?.begin(field)
        trackingNoise?.begin(field)
        lumaNoise?.begin(.luma, field)
        chromaNoiseI?.begin(.chromaI, field)
        chromaNoiseQ?.begin(.chromaQ, field)
        phaseNoise?.begin(field)
        edgeWave?.begin(field)
        deflection?.begin(field)
        roll?.begin(field)
        makeSweeps()
    }

    private mutating func makeSweeps() {
        // With frequency modulation, chroma is limited and modulated before the sweep.
        encodingSweep = EncodingSweep(
            lumaBandLimit, inputLumaFilter, frequencyModulation == nil ? chromaLowpassIn : nil, carrier, preemphasis,
            compositeNoise)
        // With a window, luma and chroma of a block can be from different rows; the sweep supports one block only.
        receivingSweep = reach.isNone ? ReceivingSweep(demodulation, carrier, lumaSmear, ringing, lumaNoise) : nil
        combSweep = CombSweep(demodulation, lumaSmear, ringing)
        tapeSweep = TapeSweep(tapeBandwidth, chromaLoss, tapeSharpening)
        // The sweep blends with the row directly above, and has no stage between its two.
        colourSweep = ColourSweep(
            blendsVertically: blendsVertically && field.standard.combDistance == 1 && generations == nil,
            chromaLowpassOut)
    }
}
