/// Stages of the signal path; the order of the cases is the playing order.
///
/// See docs/NTSC.md, "Stages in playing order". The order is defined nowhere else in the code.
public enum SignalStage: Int, CaseIterable, Comparable, Sendable {
    /// Stages of the encoding up to the composite noise.
    case input, lumaFilter, chromaLowpassIn, frequencyModulation, chromaIntoLuma, compositeSharpening, compositeNoise
    /// Last stages of the encoding, and stages of the receiver.
    case echo, coChannel, snow, headSwitching, trackingNoise, lumaIntoChroma, lumaSmear, ringing, lumaNoise
    /// Stages of the decoding and of the tape.
    case discriminator, chromaNoise, chromaPhaseError, chromaPhaseNoise, chromaDelay, delayLine, edgeWave
    /// Stages of the tape, and last stages of chroma.
    case tapeLowpass, tapeSpeed, chromaLoss, tapeSharpen, chromaVerticalBlend, generations, chromaLowpassOut, deflection
    /// The stage that writes the pixels.
    case output

    public static func < (first: SignalStage, second: SignalStage) -> Bool { first.rawValue < second.rawValue }

    /// Stages from the pixels to the composite signal.
    ///
    /// The decoding of a block begins when all rows that it depends on are encoded.
    public static var encoding: ClosedRange<SignalStage> { .input ... .trackingNoise }
    /// Stages from the composite signal to the pixels.
    public static var decoding: ClosedRange<SignalStage> { .lumaIntoChroma ... .output }
}

/// Receives the planes of each block of rows after each pass; for tests and benchmarks.
open class StageProbe {
    /// Whether several stages may share a pass, as without a probe; otherwise each stage has its own pass.
    public let allowsSweeps: Bool

    /// Creates a probe; with `allowsSweeps`, several stages may run in one loop.
    public init(allowsSweeps: Bool = false) { self.allowsSweeps = allowsSweeps }

    /// Called after a pass with its stages and the planes of a block of rows, on the thread that computes the planes.
    ///
    /// Sample `row` of column `x` is element `x * rowsPerBlock + row` of a plane. Before the chroma delay, I and Q
    /// start at row `chromaFirstRow`. Rows outside the field are undefined.
    open func finished(
        _ stages: ClosedRange<SignalStage>, luma: Span<Float>, chromaI: Span<Float>, chromaQ: Span<Float>,
        rowsPerBlock: Int, firstRow: Int, chromaFirstRow: Int
    ) {}

    /// Called before the first pass of a block; `field` is 1 for the second of two fields, in row order.
    open func blockBegins(ofField field: Int) {}
}
