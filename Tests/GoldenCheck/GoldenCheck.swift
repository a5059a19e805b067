import AnalogVideoPlayer
import Glibc
import SignalSupport

/// Compares the golden frames with the builds of the signal path, like `GoldenFrameTests`, but without GStreamer and
/// Swift Testing, so that it runs in an emulator of another processor architecture.
@main
enum GoldenCheck {
    static func main() throws {
        var failed = GoldenFiles.frames.isEmpty
        for variant in PlayerVariant.allCases where variant.isSupported {
            var largest = 0
            var faults = 0
            for golden in GoldenFiles.frames {
                guard let result = try GoldenResult(golden, variant), result.isWithinLimits else {
                    print("\(variant): \(golden) differs")
                    faults += 1
                    continue
                }
                if golden.pixelFormat?.bytesPerPixel != 8 { largest = max(largest, result.largest) }
            }
            print("\(variant): \(GoldenFiles.frames.count) frames, \(faults) out of limits, largest error \(largest)")
            failed = failed || faults > 0
        }
        exit(failed ? 1 : 0)
    }
}
