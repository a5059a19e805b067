import AnalogVideoModel
import Dispatch

/// Runs the bands concurrently from the last to the first, because the result must not depend on their order.
final class ConcurrentRunner: BandRunner {
    /// Number of bands of the last picture.
    private(set) var bands = 0

    func run(_ work: BandWork, bands: Int) {
        self.bands = bands
        nonisolated(unsafe) let work = work
        DispatchQueue.concurrentPerform(iterations: bands) { unsafe work.perform(band: (bands - 1) - $0) }
    }
}
