import AnalogVideoModel

/// Low-pass filters that limit luma and chroma to the bandwidth of a tape speed, and a boost of high luma frequencies.
///
/// See docs/NTSC.md, "Tape speed".
struct TapeBandwidth: Sendable {
    let luma: Filter
    let chroma: Filter
    /// Delay of the chroma filter, in columns.
    let chromaDelay: Int
    let boost: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, let speed = settings.vhsTapeSpeed.bandwidth else { return nil }
        let rate = field.sampleRate
        luma = .lowpass(settings.filterType, cutoff: speed.luma, rate: rate)
        chroma = .lowpass(settings.filterType, cutoff: speed.chroma, rate: rate)
        let delay = speed.chromaDelay * field.standard.relativeRate * field.horizontalScale
        chromaDelay = Int(wholeNumber(delay.rounded(.toNearestOrAwayFromZero)))
        boost = Filter.onePole(cutoff: speed.luma, rate: rate).mixed(-1.6)
    }

    func limit(
        _ luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane
    ) {
        run(self.luma, along: &luma)
        run(chroma, along: &chromaI, delay: chromaDelay, chroma, along: &chromaQ, delay: chromaDelay)
    }

    func boost(_ luma: inout Plane) { run(self.boost, along: &luma) }
}

/// Sharpening of luma by the recorder; see docs/NTSC.md, "Tape sharpening".
struct TapeSharpening: Sendable {
    let filter: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, settings.vhsSharpenEnabled, let speed = settings.vhsTapeSpeed.bandwidth else {
            return nil
        }
        let frequency = settings.vhsSharpenFrequency
        let cutoff = speed.luma * (settings.filterType == .constantK ? 4 : 1) * frequency
        filter = Filter.lowpass(settings.filterType, cutoff: cutoff, rate: field.sampleRate)
            .mixed(-settings.vhsSharpen * 2 * frequency)
    }

    func apply(to luma: inout Plane) {
        run(filter, along: &luma)
    }
}

extension TapeSpeed {
    /// Cut-off frequencies in hertz, and the chroma delay in samples of NTSC; nil without a tape.
    ///
    /// Values of composite-video-simulator; see docs/NTSC.md, "Tape speed".
    fileprivate var bandwidth: (luma: Float, chroma: Float, chromaDelay: Float)? {
        switch self {
        case .none: nil
        case .sp: (2_400_000, 320_000, 4)
        case .lp: (1_900_000, 300_000, 5)
        case .ep: (1_400_000, 280_000, 6)
        }
    }
}
