import AnalogVideoModel
import GStreamer

/// A picture with something in it, in the format cameras and screens like best.
struct TestPicture {
    let layout: PictureLayout
    var bytes: [UInt8]

    init(width: Int, height: Int) {
        layout = PictureLayout(format: .bgrx, width: width, height: height, stride: width * 4)
        bytes = (0..<(width * height * 4)).map { UInt8(truncatingIfNeeded: ($0 &* 31) &+ (($0 >> 9) &* 7)) }
    }

    /// Enough for a median, in about a second.
    var sensibleRepeats: Int { min(max(40_000_000 / (layout.width * layout.height), 7), 51) }

    mutating func nanosecondsPerPixel(_ work: (inout TestPicture) -> Void) -> Double {
        let pixels = Double(layout.width * layout.height)
        let start = ContinuousClock.now
        work(&self)
        return nanoseconds(.now - start) / pixels
    }
}

func nanoseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func readPreset(_ path: String) throws -> NTSCSettings {
    try NTSCSettings(presetJSON: SmallFile.read(path, atMost: NTSCSettings.largestPreset))
}
