import AnalogVideoModel
import AnalogVideoPlayer
import Testing

/// The planes after every stage, against those of the reference.
struct GoldenStageTests {
    static let files: [(stage: SignalStage, name: String)] = [
        (.input, "00_input"), (.lumaFilter, "01_luma_filter"), (.chromaLowpassIn, "02_chroma_lowpass_in"),
        (.chromaIntoLuma, "03_chroma_into_luma"), (.compositeSharpening, "04_composite_sharpening"),
        (.compositeNoise, "05_composite_noise"), (.snow, "06_snow"), (.headSwitching, "07_head_switching"),
        (.trackingNoise, "08_tracking_noise"), (.lumaIntoChroma, "09_luma_into_chroma"),
        (.lumaSmear, "10_luma_smear"), (.ringing, "11_ringing"), (.lumaNoise, "12_luma_noise"),
        (.chromaNoise, "13_chroma_noise"), (.chromaPhaseError, "14_chroma_phase_error"),
        (.chromaPhaseNoise, "15_chroma_phase_noise"), (.chromaDelay, "16_chroma_delay"),
        (.edgeWave, "17_vhs_edge_wave"), (.tapeLowpass, "18_vhs_tape_lowpass"), (.tapeSpeed, "19_vhs_tape_speed"),
        (.chromaLoss, "20_vhs_chroma_loss"), (.tapeSharpen, "21_vhs_sharpen"),
        (.chromaVerticalBlend, "22_chroma_vert_blend"), (.chromaLowpassOut, "23_chroma_lowpass_out"),
    ]

    @Test(arguments: ["default", "everything"], GoldenFrameTests.variants)
    func planesAreThoseOfTheReference(preset: String, variant: PlayerVariant) throws {
        let (width, height) = (83, 61)
        var pixels = try GoldenFiles.bytes("inputs/chart-83x61-rgbx.raw")
        let recorder = PlaneRecorder(width: width, rowCounts: [(height + 1) / 2, height / 2])
        let player = try #require(makePlayer(width: width, height: height, variant: variant, probe: recorder))
        var span = pixels.mutableSpan
        player.play(
            &span, layout: PictureLayout(format: .rgbx, width: width, height: height, stride: width * 4), frame: 5,
            scan: .progressive, settings: try GoldenFiles.settings("presets/\(preset).json"), bands: 1,
            runner: SerialRunner())

        for (field, name) in ["upper", "lower"].enumerated() {
            for (stage, file) in Self.files {
                let expected = try GoldenFiles.floats("stages/\(preset)/\(file)_\(name).yiq.f32")
                let error = recorder.largestError(stage, field, from: expected)
                #expect(error <= 1e-4, "\(file)_\(name)")
            }
        }
    }
}

/// Keeps what the probe sees, as the reference keeps it: planes of whole fields, row by row.
private final class PlaneRecorder: StageProbe {
    private let width: Int
    private let rowCounts: [Int]
    private var planes: [[SignalStage: [[Float?]]]] = [[:], [:]]
    private var field = 0

    init(width: Int, rowCounts: [Int]) {
        self.width = width
        self.rowCounts = rowCounts
    }

    override func blockBegins(ofField field: Int) { self.field = field }

    override func finished(
        _ stage: SignalStage, luma: Span<SIMD8<Float>>, chromaI: Span<SIMD8<Float>>, chromaQ: Span<SIMD8<Float>>,
        firstRow: Int, chromaFirstRow: Int
    ) {
        let empty = [[Float?]](repeating: Array(repeating: nil, count: width * rowCounts[field]), count: 3)
        var kept = planes[field][stage] ?? empty
        for x in 0..<width {
            for lane in 0..<8 {
                if (0..<rowCounts[field]).contains(firstRow + lane) {
                    kept[0][(firstRow + lane) * width + x] = luma[x][lane]
                }
                let row = chromaFirstRow + lane
                guard (0..<rowCounts[field]).contains(row) else { continue }
                kept[1][row * width + x] = chromaI[x][lane]
                kept[2][row * width + x] = chromaQ[x][lane]
            }
        }
        planes[field][stage] = kept
    }

    /// Infinite if a sample was not seen, or is no number.
    func largestError(_ stage: SignalStage, _ field: Int, from expected: [Float]) -> Float {
        guard let kept = planes[field][stage] else { return .infinity }
        let size = width * rowCounts[field]
        guard expected.count == size * 3 else { return .infinity }
        var largest: Float = 0
        for plane in 0..<3 {
            for index in 0..<size {
                guard let value = kept[plane][index], value.isFinite else { return .infinity }
                largest = max(largest, abs(value - expected[plane * size + index]))
            }
        }
        return largest
    }
}
