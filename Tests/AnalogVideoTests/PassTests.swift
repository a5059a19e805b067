import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Tests that sweeps, which play several stages in one pass, do not change the order or the results of the stages.
struct PassTests {

    // MARK: Order

    /// All combinations of the settings that determine which sweeps are played.
    private static var selections: [NTSCSettings] {
        var base = NTSCSettings()
        (base.compositeNoise, base.lumaNoise, base.chromaNoise) = (false, false, false)
        return [base]
            .with(\.inputLumaFilter, LumaFilter.allCases).with(\.chromaLowpassIn, ChromaLowpass.allCases)
            .with(\.filterType, FilterType.allCases).with(\.chromaDemodulation, ChromaDemodulation.allCases)
            .with(\.chromaDelayVertical, [0, 3, -3]).with(\.vhsSettings, [false, true])
            .with(\.vhsTapeSpeed, [.none, .lp]).with(\.vhsSharpenEnabled, [false, true])
            .with(\.vhsChromaLoss, [0, 0.5]).with(\.vhsChromaVertBlend, [false, true])
            .with(\.chromaLowpassOut, ChromaLowpass.allCases)
            // At 0.125, some filters are marginal (see `Filter`), so the baseline build uses other kernels.
            .with(\.bandwidthScale, [1, 0.125])
    }

    /// The height gives a field of 17 rows, which ends within a block, and a field of 16 rows, which ends with a block.
    @Test(arguments: [PixelFormat.bgrx, .gray8], GoldenFrameTests.variants)
    func everyStageIsPlayedOnceInOrder(format: PixelFormat, variant: PlayerVariant) throws {
        let (width, height) = (3, 33)
        let recorder = PassRecorder(allowsSweeps: true)
        let player = try #require(makePlayer(width: width, height: height, variant: variant, probe: recorder))
        let stride = width * format.bytesPerPixel
        let layout = PictureLayout(format: format, width: width, height: height, stride: stride)
        var sweepsPlayed: Set<[ClosedRange<SignalStage>]> = []
        // The test collects the faults, because thousands of combinations can fail in the same way.
        var wrong: [[ClosedRange<SignalStage>]] = []
        for settings in Self.selections {
            var pixels = [UInt8](repeating: 100, count: stride * height)
            var span = pixels.mutableSpan
            recorder.passes = [:]
            let isPlayed = player.play(
                &span, layout: layout, frame: 5, scan: .progressive, settings: settings, bands: 1,
                runner: SerialRunner())
            try #require(isPlayed && recorder.passes.count == (variant == .avx512 ? 3 : 5))
            for passes in recorder.passes.values {
                let stages = passes.flatMap { pass in SignalStage.allCases.filter(pass.contains) }
                if stages != SignalStage.allCases { wrong.append(passes) }
                sweepsPlayed.insert(passes.filter { $0.lowerBound < $0.upperBound })
            }
        }
        #expect(wrong.isEmpty, "\(wrong.first ?? [])")
        // There are five sweeps, of which two exclude each other; without colour, the last sweep is never played.
        #expect(sweepsPlayed.count == (format == .gray8 ? 12 : 24))
    }

    @Test func everyStageIsAPassWithoutSweeps() throws {
        let recorder = PassRecorder()
        let player = try #require(makePlayer(width: 3, height: 8, probe: recorder))
        var pixels = [UInt8](repeating: 100, count: 96)
        var span = pixels.mutableSpan
        player.play(
            &span, layout: PictureLayout(format: .bgrx, width: 3, height: 8, stride: 12), frame: 5, scan: .progressive,
            settings: NTSCSettings(), bands: 1, runner: SerialRunner())
        #expect(recorder.passes.count == 2)
        for passes in recorder.passes.values { #expect(passes == SignalStage.allCases.map { $0...$0 }) }
    }

    // MARK: Results

    /// Tests that the planes after a sweep equal the planes after its last stage if the stages are played separately.
    @Test(arguments: GoldenFiles.presets, GoldenFrameTests.variants)
    func sweepsPlayTheirDeclaredStages(preset: String, variant: PlayerVariant) throws {
        let settings = try GoldenFiles.settings(preset)
        let separate = try PlaneRecorder.planes(settings, width: 21, height: 50, variant: variant, allowsSweeps: false)
        let fused = try PlaneRecorder.planes(settings, width: 21, height: 50, variant: variant, allowsSweeps: true)
        for field in 0..<2 {
            for (stage, planes) in fused[field] {
                let expected = try #require(separate[field][stage])
                // The encoding sweep writes the filtered chroma only to the composite signal.
                for plane in 0..<(stage < .lumaIntoChroma ? 1 : 3) {
                    #expect(planes[plane].map(\.?.bitPattern) == expected[plane].map(\.?.bitPattern), "\(stage)")
                }
            }
        }
    }
}

/// Stores the stages of the passes that are played for each block.
private final class PassRecorder: StageProbe {
    struct Block: Hashable {
        let field: Int
        let firstRow: Int
    }

    var passes: [Block: [ClosedRange<SignalStage>]] = [:]
    private var field = 0

    override func blockBegins(ofField field: Int) { self.field = field }

    override func finished(
        _ stages: ClosedRange<SignalStage>, luma: Span<Float>, chromaI: Span<Float>, chromaQ: Span<Float>,
        rowsPerBlock: Int, firstRow: Int, chromaFirstRow: Int
    ) { passes[Block(field: field, firstRow: firstRow), default: []].append(stages) }
}

extension [NTSCSettings] {
    /// Combines each of the settings with each of the values.
    fileprivate func with<Value>(_ field: WritableKeyPath<NTSCSettings, Value>, _ values: [Value]) -> Self {
        flatMap { settings in
            values.map { value in
                var settings = settings
                settings[keyPath: field] = value
                return settings
            }
        }
    }
}
