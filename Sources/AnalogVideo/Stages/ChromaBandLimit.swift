import AnalogVideoModel

/// Low-pass filters that limit the bandwidth of chroma, before modulation and again at the output.
///
/// See docs/NTSC.md, "Chroma low-pass at the input" and docs/NTSC.md, "Chroma low-pass at the output".
struct ChromaBandLimit: Sendable {
    let filterI, filterQ: Filter
    let delayI, delayQ: Int

    var kernel: Filter.Kernel { filterI.kernel }
    /// Whether both filters use the same kernel, so that one loop can run them.
    var isOfOneKind: Bool { filterI.runs(besides: filterQ) }

    init?(_ amount: ChromaLowpass, _ settings: NTSCSettings, _ field: FieldFacts) {
        guard field.hasColour else { return nil }
        let cutoffs: (i: Float, q: Float)
        switch amount {
        case .none: return nil
        case .light: (cutoffs, delayI, delayQ) = ((2_600_000, 2_600_000), 1, 1)
        case .full where field.standard == .ntsc: (cutoffs, delayI, delayQ) = ((1_300_000, 600_000), 2, 4)
        case .full: (cutoffs, delayI, delayQ) = ((1_300_000, 1_300_000), 3, 3)
        }
        filterI = .lowpass(settings.filterType, cutoff: cutoffs.i, rate: field.sampleRate)
        filterQ = .lowpass(settings.filterType, cutoff: cutoffs.q, rate: field.sampleRate)
    }

    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane) {
        run(filterI, along: &chromaI, delay: delayI, filterQ, along: &chromaQ, delay: delayQ)
    }
}
