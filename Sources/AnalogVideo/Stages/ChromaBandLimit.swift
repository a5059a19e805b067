import AnalogVideoModel

/// Limits the bandwidth of I and Q, before modulation and again at the end.
struct ChromaBandLimit: Sendable {
    private let filterI, filterQ: Filter
    private let delayI, delayQ: Int

    init?(_ amount: ChromaLowpass, _ settings: NTSCSettings, _ field: FieldFacts) {
        let cutoffs: (i: Float, q: Float)
        switch amount {
        case .none: return nil
        case .light: (cutoffs, delayI, delayQ) = ((2_600_000, 2_600_000), 1, 1)
        case .full: (cutoffs, delayI, delayQ) = ((1_300_000, 600_000), 2, 4)
        }
        filterI = .lowpass(settings.filterType, cutoff: cutoffs.i, rate: field.sampleRate)
        filterQ = .lowpass(settings.filterType, cutoff: cutoffs.q, rate: field.sampleRate)
    }

    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane) {
        if filterI.order == 2 {
            run(
                SecondOrder(filterI), along: &chromaI, delay: delayI,
                SecondOrder(filterQ), along: &chromaQ, delay: delayQ)
        } else {
            run(
                ThirdOrder(filterI), along: &chromaI, delay: delayI,
                ThirdOrder(filterQ), along: &chromaQ, delay: delayQ)
        }
    }
}
