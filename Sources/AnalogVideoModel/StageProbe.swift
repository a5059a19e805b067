/// The stages of the signal path in playing order; see docs/NTSC.md, "Stages in playing order".
///
/// Passes are played in the order of these cases; the order is defined nowhere else.
public enum SignalStage: Int, CaseIterable, Comparable, Sendable {
    /// Stages of the encoding up to snow and head switching.
    case input, lumaFilter, chromaLowpassIn, chromaIntoLuma, compositeSharpening, compositeNoise, snow, headSwitching
    /// The last stage of the encoding, and stages of the decoding.
    case trackingNoise, lumaIntoChroma, lumaSmear, ringing, lumaNoise, chromaNoise, chromaPhaseError, chromaPhaseNoise
    /// Stages of the decoding and of the tape.
    case chromaDelay, edgeWave, tapeLowpass, tapeSpeed, chromaLoss, tapeSharpen, chromaVerticalBlend, chromaLowpassOut
    /// Pixels are written.
    case output

    public static func < (first: SignalStage, second: SignalStage) -> Bool { first.rawValue < second.rawValue }

    /// The stages from the pixels to the composite signal.
    ///
    /// The decoding of a block begins when all rows that it depends on are encoded.
    public static var encoding: ClosedRange<SignalStage> { .input ... .trackingNoise }
    /// The stages from the composite signal to the pixels.
    public static var decoding: ClosedRange<SignalStage> { .lumaIntoChroma ... .output }
}

/// Receives the planes of each block of rows after each pass; for tests and benchmarks.
open class StageProbe {
    /// Whether several stages may share a pass, as they do without a probe; otherwise each stage has a pass of its own.
    public let allowsSweeps: Bool

    /// Creates a probe; with `allowsSweeps`, several stages may run in one loop.
    public init(allowsSweeps: Bool = false) { self.allowsSweeps = allowsSweeps }

    /// Called after a pass with the stages it has played and the planes of a block of rows.
    ///
    /// Sample `row` of column `x` is element `x * rowsPerBlock + row` of a plane. The method runs on the thread that
    /// computes the planes. Before the chroma delay, I and Q are of the rows from `chromaFirstRow` on. Rows outside the
    /// field are undefined.
    open func finished(
        _ stages: ClosedRange<SignalStage>, luma: Span<Float>, chromaI: Span<Float>, chromaQ: Span<Float>,
        rowsPerBlock: Int, firstRow: Int, chromaFirstRow: Int
    ) {}

    /// Called before the first pass of a block; `field` is 1 for the second of two fields, in row order.
    open func blockBegins(ofField field: Int) {}
}
