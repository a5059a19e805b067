import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Compares the planes after every stage with the planes of the reference.
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
    func planesEqualTheReferenceWithinLimits(preset: String, variant: PlayerVariant) throws {
        let (width, height) = (83, 61)
        var pixels = try GoldenFiles.bytes("inputs/chart-83x61-rgbx.raw")
        let recorder = PlaneRecorder(width: width, height: height)
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
