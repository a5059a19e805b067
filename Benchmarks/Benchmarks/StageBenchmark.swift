import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport

/// Time of the single stages of the signal path.
struct StageBenchmark {
    private let picture: TestPicture
    private let settings: NTSCSettings
    private let variant: PlayerVariant

    init(width: Int, height: Int, _ settings: NTSCSettings, _ variant: PlayerVariant) {
        picture = TestPicture(width: width, height: height)
        self.settings = settings
        self.variant = variant
    }

    /// Nanoseconds per pixel per stage, in the order of `SignalStage`.
    func run() -> [Double] {
        var picture = picture
        let watch = StageWatch()
        let (width, height) = (picture.layout.width, picture.layout.height)
        var times = [[Double]](repeating: [], count: SignalStage.allCases.count)
        guard let player = makePlayer(width: width, height: height, variant: variant, probe: watch) else { return [] }
        for frame in 0..<picture.sensibleRepeats {
            watch.reset()
            picture.play(on: player, frame: frame, settings, bands: 1, SerialRunner())
            for (stage, spent) in watch.spent.enumerated() { times[stage].append(spent / picture.pixelCount) }
        }
        return times.map(median)
    }
}

/// Sums the time of each stage over all blocks.
private final class StageWatch: StageProbe {
    /// Time of each stage in nanoseconds.
    private(set) var spent = [Double](repeating: 0, count: SignalStage.allCases.count)
    private var last = ContinuousClock.now

    func reset() { spent = spent.map { _ in 0 } }

    override func blockBegins(ofField _: Int) { last = .now }

    override func finished(
        _ stages: ClosedRange<SignalStage>, luma: Span<Float>, chromaI: Span<Float>, chromaQ: Span<Float>,
        rowsPerBlock: Int, firstRow: Int, chromaFirstRow: Int
    ) {
        let now = ContinuousClock.now
        spent[stages.upperBound.rawValue] += nanoseconds(now - last)
        last = now
    }
}
