import Synchronization
import Threads

/// Wakes the thread that reads the figures when elements, pads or links are added.
///
/// Any thread may call `note`, including a streaming thread. The first call since the last reading wakes the thread;
/// each further call costs one atomic load.
public final class PipelineChanges: Sendable {
    /// Pause of the thread after a reading, as a multiple of the duration of the reading.
    private static let rest = 10

    private let alarm = Alarm()
    private let isNoted = Atomic<Bool>(false)

    /// Requests a reading; until the reading, frames are compared with the previous pads.
    func note() {
        guard !isNoted.load(ordering: .relaxed), !isNoted.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        alarm.wake()
    }

    /// Notes each link of a pad until the connections are disconnected.
    func connect(to pad: UnsafeMutablePointer<some Any>) -> SignalConnections {
        var connections = SignalConnections(pad)
        connections.connect("linked", self) { _, _, data in
            if let data { Unmanaged<PipelineChanges>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.note() } }
        }
        return connections
    }

    /// Begins a reading, which includes all changes noted before.
    func beginReading() { isNoted.store(false, ordering: .sequentiallyConsistent) }

    /// Sleeps for `time`, and calls `read` soon after each change; returns false after `end`.
    public func sleep(for time: Duration, read: () -> Void) -> Bool {
        let end = MonotonicClock.now + time
        var next = end - time
        while alarm.sleep(for: end - MonotonicClock.now) {
            // Until the reading, no further change wakes the thread.
            if MonotonicClock.now < next {
                guard alarm.sleep(for: min(next, end) - MonotonicClock.now) else { return false }
            }
            let begin = MonotonicClock.now
            guard begin < end else { return true }
            read()
            let now = MonotonicClock.now
            next = now + (now - begin) * Self.rest
        }
        return false
    }

    /// Ends the sleep and every later one.
    public func end() { alarm.end() }
}
