import AnalogVideoModel
import AnalogVideoPlayer
import Durations
import GStreamer
import NTSCFilter

/// A test picture with a pattern.
struct TestPicture {
    let layout: PictureLayout
    private var planes: InlineArray<3, [UInt8]>

    init(width: Int, height: Int, _ format: PixelFormat = .bgrx) {
        let strides = InlineArray<3, Int> { format.rowBytes(ofPlane: $0, width: width) ?? 0 }
        layout = PictureLayout(
            format: format, width: width, height: height, planes: InlineArray { PlaneLayout(stride: strides[$0]) })
        planes = InlineArray { plane in
            let count = strides[plane] * format.rows(ofPlane: plane, height: height)
            return (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) &+ (($0 >> 9) &* 7)) }
        }
    }

    var pixelCount: Double { Double(layout.width * layout.height) }

    /// Number of repetitions for a median within about one second.
    var sensibleRepeats: Int { min(max(40_000_000 / (layout.width * layout.height), 7), 51) }

    /// Processes the picture in place as frame number `frame`.
    mutating func play(
        on player: NTSCPlayer, frame: Int, _ settings: NTSCSettings, bands: Int, _ runner: any BandRunner
    ) {
        let layout = layout
        var (first, second, third) = (planes[0], planes[1], planes[2])
        planes = InlineArray { _ in [] }
        defer { planes = [first, second, third] }
        play(&first, &second, &third, layout, player, frame, settings, bands, runner)
    }

    private func play(
        _ first: inout [UInt8], _ second: inout [UInt8], _ third: inout [UInt8], _ layout: PictureLayout,
        _ player: NTSCPlayer, _ frame: Int, _ settings: NTSCSettings, _ bands: Int, _ runner: any BandRunner
    ) {
        var plane = first.mutableSpan
        var plane1 = second.mutableSpan
        var plane2 = third.mutableSpan
        player.play(
            &plane, &plane1, &plane2, layout: layout, frame: UInt64(frame), scan: .progressive, settings: settings,
            bands: bands, runner: runner)
    }

    /// Copies the first plane to `bytes`.
    func copy(to bytes: inout [UInt8]) { bytes.replaceSubrange(0..<planes[0].count, with: planes[0]) }

    /// Nanoseconds per pixel of `work`.
    mutating func nanosecondsPerPixel(_ work: (inout TestPicture) -> Void) -> Double {
        let start = ContinuousClock.now
        work(&self)
        return nanoseconds(.now - start) / pixelCount
    }
}

func nanoseconds(_ duration: Duration) -> Double { duration.inSeconds * 1e9 }

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func readPreset(_ path: String) throws -> NTSCSettings {
    try Preset(json: SmallFile.read(path, atMost: NTSCSettings.largestPreset)).settings
}
