import AnalogVideoModel
import Dispatch

/// Bands in reverse and beside each other: the order in which they run must not show.
struct ConcurrentRunner: BandRunner {
    func run(_ work: BandWork, bands: Int) {
        nonisolated(unsafe) let work = work
        DispatchQueue.concurrentPerform(iterations: bands) { unsafe work.perform(band: (bands - 1) - $0) }
    }
}
