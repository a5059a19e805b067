import AnalogVideoModel

/// The stages of one field; docs/NTSC.md, "Stages in playing order", describes them.
///
/// A stage that is off is nil. A path is created for every field, without allocation.
struct SignalPath: Sendable {
    let field: FieldFacts
    /// Number of blocks of composite signal above and below a block that the block depends on.
    let reach: Reach

    // MARK: Encoding to the composite signal
    let inputLumaFilter: InputLumaFilter?
    let chromaLowpassIn: ChromaBandLimit?
    let carrier: Carrier
    let preemphasis: CompositePreemphasis?
    let compositeNoise: RowNoise?
    let snow: Snow?
    let headSwitching: HeadSwitching?
    let trackingNoise: TrackingNoise?

    // MARK: Decoding from the composite signal
    let demodulation: Demodulation
    let lumaSmear: LumaSmear?
    let ringing: Ringing?
    let lumaNoise: RowNoise?
    let chromaNoiseI: RowNoise?
    let chromaNoiseQ: RowNoise?
    let phaseError: ChromaPhaseError?
    let phaseNoise: ChromaPhaseNoise?
    let chromaDelay: ChromaDelay?
    let edgeWave: EdgeWave?
    let tapeBandwidth: TapeBandwidth?
    let chromaLoss: ChromaLoss?
    let tapeSharpening: TapeSharpening?
    let blendsVertically: Bool
    let chromaLowpassOut: ChromaBandLimit?

    // MARK: Several stages in one pass
    let encodingSweep: EncodingSweep?
    let receivingSweep: ReceivingSweep?
    let combSweep: CombSweep?
    let tapeSweep: TapeSweep?
    let colourSweep: ColourSweep?

    init(_ settings: NTSCSettings, _ field: FieldFacts) {
        self.field = field
        inputLumaFilter = InputLumaFilter(settings, field)
        chromaLowpassIn = ChromaBandLimit(settings.chromaLowpassIn, settings, field)
        carrier = Carrier(settings, field)
        preemphasis = CompositePreemphasis(settings, field)
        compositeNoise = RowNoise(
            .composite, field, isOn: settings.compositeNoise, intensity: settings.compositeNoiseIntensity,
            frequency: settings.compositeNoiseFrequency, detail: settings.compositeNoiseDetail)
        snow = Snow(settings, field)
        headSwitching = HeadSwitching(settings, field)
        trackingNoise = TrackingNoise(settings, field)

        demodulation = Demodulation(settings, field, carrier: carrier)
        lumaSmear = LumaSmear(settings, field)
        ringing = Ringing(settings, field)
        lumaNoise = RowNoise(
            .luma, field, isOn: settings.lumaNoise, intensity: settings.lumaNoiseIntensity,
            frequency: settings.lumaNoiseFrequency, detail: settings.lumaNoiseDetail)
        chromaNoiseI = RowNoise(
            .chromaI, field, isOn: settings.chromaNoise && field.hasColour, intensity: settings.chromaNoiseIntensity,
            frequency: settings.chromaNoiseFrequency, detail: settings.chromaNoiseDetail)
        chromaNoiseQ = RowNoise(
            .chromaQ, field, isOn: settings.chromaNoise && field.hasColour, intensity: settings.chromaNoiseIntensity,
            frequency: settings.chromaNoiseFrequency, detail: settings.chromaNoiseDetail)
        phaseError = ChromaPhaseError(settings, field)
        phaseNoise = ChromaPhaseNoise(settings, field)
        chromaDelay = ChromaDelay(settings, field)
        edgeWave = EdgeWave(settings, field)
        tapeBandwidth = TapeBandwidth(settings, field)
        chromaLoss = ChromaLoss(settings, field)
        tapeSharpening = TapeSharpening(settings, field)
        blendsVertically = settings.vhsChromaVertBlend && field.hasColour
        chromaLowpassOut = ChromaBandLimit(settings.chromaLowpassOut, settings, field)
        reach = Reach(demodulation, chromaDelay, atMost: field.rowCount)

        encodingSweep = EncodingSweep(inputLumaFilter, chromaLowpassIn, carrier, preemphasis, compositeNoise)
        // With a window, luma and chroma of a block can come from different rows; the sweep supports one block only.
        receivingSweep = reach.isNone ? ReceivingSweep(demodulation, carrier, lumaSmear, ringing, lumaNoise) : nil
        combSweep = CombSweep(demodulation, lumaSmear, ringing)
        tapeSweep = TapeSweep(tapeBandwidth, chromaLoss, tapeSharpening)
        colourSweep = ColourSweep(blendsVertically: blendsVertically, chromaLowpassOut)
    }
}
