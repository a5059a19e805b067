import AnalogVideoModel
import Dispatch

/// Runs the bands concurrently, starting with the last: the result must not depend on their order.
struct ConcurrentRunner: BandRunner {
    func run(_ work: BandWork, bands: Int) {
        nonisolated(unsafe) let work = work
        DispatchQueue.concurrentPerform(iterations: bands) { unsafe work.perform(band: (bands - 1) - $0) }
    }
}
