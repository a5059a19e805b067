import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Stores the planes after each pass as whole fields, row by row, like the reference.
final class PlaneRecorder: StageProbe {
    private let width: Int
    private let rowCounts: [Int]
    /// For each field, the planes after the pass that ends with a stage.
    private(set) var planes: [[SignalStage: [[Float?]]]] = [[:], [:]]
    private var field = 0

    /// Creates a recorder for a picture that is played as two interleaved fields.
    init(width: Int, height: Int, allowsSweeps: Bool = false) {
        self.width = width
        rowCounts = [(height + 1) / 2, height / 2]
        super.init(allowsSweeps: allowsSweeps)
    }

    /// Plays a BGRx picture as two interleaved fields, and returns the planes of both.
    ///
    /// Without `pixels`, the picture is a pattern that has no two equal rows.
    static func planes(
        _ settings: NTSCSettings, width: Int, height: Int, pixels: [UInt8]? = nil, variant: PlayerVariant = .best,
        allowsSweeps: Bool = false
    ) throws -> [[SignalStage: [[Float?]]]] {
        var settings = settings
        settings.useField = .interleavedUpper
        var pixels = pixels ?? (0..<(width * height * 4)).map { UInt8(truncatingIfNeeded: ($0 &* 37) ^ ($0 >> 3)) }
        let recorder = PlaneRecorder(width: width, height: height, allowsSweeps: allowsSweeps)
        let player = try #require(makePlayer(width: width, height: height, variant: variant, probe: recorder))
        var span = pixels.mutableSpan
        let layout = PictureLayout(format: .bgrx, width: width, height: height, stride: width * 4)
        try #require(
            player.play(
                &span, layout: layout, frame: 5, scan: .progressive, settings: settings, bands: 1,
                runner: SerialRunner()))
        return recorder.planes
    }

    override func blockBegins(ofField field: Int) { self.field = field }

    override func finished(
        _ stages: ClosedRange<SignalStage>, luma: Span<Float>, chromaI: Span<Float>, chromaQ: Span<Float>,
        rowsPerBlock: Int, firstRow: Int, chromaFirstRow: Int
    ) {
        let empty = [[Float?]](repeating: Array(repeating: nil, count: width * rowCounts[field]), count: 3)
        var kept = planes[field][stages.upperBound] ?? empty
        for x in 0..<width {
            for lane in 0..<rowsPerBlock {
                if (0..<rowCounts[field]).contains(firstRow + lane) {
                    kept[0][(firstRow + lane) * width + x] = luma[x * rowsPerBlock + lane]
                }
                let row = chromaFirstRow + lane
                guard (0..<rowCounts[field]).contains(row) else { continue }
                kept[1][row * width + x] = chromaI[x * rowsPerBlock + lane]
                kept[2][row * width + x] = chromaQ[x * rowsPerBlock + lane]
            }
        }
        planes[field][stages.upperBound] = kept
    }

    /// The largest difference from `expected`; infinite if a sample is missing or NaN.
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
