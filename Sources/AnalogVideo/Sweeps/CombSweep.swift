import AnalogVideoModel

/// Demodulation with a comb filter, luma smear and ringing in one pass over a block of rows; see `EncodingSweep`.
///
/// Chroma has a separate loop, because with a vertical delay it is read from other rows than luma.
struct CombSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaIntoChroma ... .ringing }

    private let demodulation: Demodulation
    private let smear: Filter
    private let ringing: Filter

    /// Nil without a comb filter, or if the stages must run separately.
    init?(_ demodulation: Demodulation, _ smear: LumaSmear?, _ ringing: Ringing?) {
        guard demodulation.neighbours != .none, let smear, let ringing else { return nil }
        self.demodulation = demodulation
        self.smear = smear.filter
        self.ringing = ringing.filter
    }

    /// `rows` are the rows of luma; `chromaRows` begin at `chromaFirstRow`.
    func walk(
        _ rows: CompositeRows, luma: inout Plane, _ chromaRows: CompositeRows, _ chromaI: inout Plane,
        _ chromaQ: inout Plane, chromaFirstRow: Int
    ) {
        demodulation.combLuma(rows, smear: smear, ringing: ringing, into: &luma)
        demodulation.separateChroma(chromaRows, into: &chromaI, &chromaQ, firstRow: chromaFirstRow)
    }
}
