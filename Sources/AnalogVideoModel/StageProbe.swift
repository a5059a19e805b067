/// The stages of the signal path, in order.
public enum SignalStage: Int, CaseIterable, Sendable {
    case input, lumaFilter, chromaLowpassIn, chromaIntoLuma, compositeSharpening, compositeNoise, snow, headSwitching
    case trackingNoise, lumaIntoChroma, lumaSmear, ringing, lumaNoise, chromaNoise, chromaPhaseError, chromaPhaseNoise
    case chromaDelay, edgeWave, tapeLowpass, tapeSpeed, chromaLoss, tapeSharpen, chromaVerticalBlend, chromaLowpassOut
    case output
}

/// Looks into the signal path after each stage of each block of eight rows: for tests and for benchmarks.
open class StageProbe {
    public init() {}

    /// Called with the planes of eight rows, one vector a column, on the thread that works on them.
    ///
    /// Before the chroma delay, the rows of I and Q begin at `chromaFirstRow`, from where they will be delayed;
    /// rows outside the field hold nothing of meaning.
    open func finished(
        _ stage: SignalStage, luma: Span<SIMD8<Float>>, chromaI: Span<SIMD8<Float>>, chromaQ: Span<SIMD8<Float>>,
        firstRow: Int, chromaFirstRow: Int
    ) {}

    /// Called before the first stage of a block, with the number of its field, in order of their rows: 0 or 1.
    open func blockBegins(ofField field: Int) {}
}
