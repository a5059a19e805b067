/// The stages of the signal path in playing order; see docs/NTSC.md, "Stages in playing order".
public enum SignalStage: Int, CaseIterable, Sendable {
    case input, lumaFilter, chromaLowpassIn, chromaIntoLuma, compositeSharpening, compositeNoise, snow, headSwitching
    case trackingNoise, lumaIntoChroma, lumaSmear, ringing, lumaNoise, chromaNoise, chromaPhaseError, chromaPhaseNoise
    case chromaDelay, edgeWave, tapeLowpass, tapeSpeed, chromaLoss, tapeSharpen, chromaVerticalBlend, chromaLowpassOut
    case output
}

/// Receives the planes of each block of eight rows after each stage; for tests and benchmarks.
open class StageProbe {
    public init() {}

    /// Called after a stage with the planes of eight rows, one vector per column, on the thread that computes them.
    ///
    /// Before the chroma delay, I and Q are those of the eight rows from `chromaFirstRow` on. Rows outside the field
    /// are undefined.
    open func finished(
        _ stage: SignalStage, luma: Span<SIMD8<Float>>, chromaI: Span<SIMD8<Float>>, chromaQ: Span<SIMD8<Float>>,
        firstRow: Int, chromaFirstRow: Int
    ) {}

    /// Called before the first stage of a block; `field` is 1 for the second of two fields, in row order.
    open func blockBegins(ofField field: Int) {}
}
