import GStreamer
import Synchronization
import Threads

/// Detects that the application sets a property, even to its present value.
///
/// An element that selects a value itself notifies the property on its streaming threads; that does not count. Only one
/// thread may call these methods.
final class PropertyWatch {
    private final class Counts: Sendable {
        let writer = Atomic<UInt>(0)
        let own = Atomic<UInt64>(0)
        let others = Atomic<UInt64>(0)
        private let streams: [StreamMeter]

        init(_ streams: [StreamMeter]) { self.streams = streams }

        func note() {
            let thread = Worker.currentThread
            if writer.load(ordering: .relaxed) == thread {
                own.wrappingAdd(1, ordering: .relaxed)
            } else if !streams.contains(where: { $0.thread == thread }) {
                others.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    private let counts: Counts
    private let observer: PropertyObserver
    private var seen: UInt64 = 0
    /// Whether another thread will notify the last write, because it was setting a property of the element meanwhile.
    private var isOwed = false

    /// Watches the property `name`; notifications on the threads of `streams` come from the element itself.
    init(_ element: ElementReference, _ name: String, besides streams: [StreamMeter] = []) {
        let counts = Counts(streams)
        self.counts = counts
        observer = PropertyObserver(element, name) { counts.note() }
    }

    /// Whether the property was set since the last call.
    func hasChanged() -> Bool {
        let others = counts.others.load(ordering: .relaxed)
        defer {
            seen = others
            isOwed = false
        }
        return others &- seen > (isOwed ? 1 : 0)
    }

    /// Runs `body`, whose write of the property does not count as a change.
    func write(_ body: () -> Void) {
        let before = counts.own.load(ordering: .relaxed)
        counts.writer.store(Worker.currentThread, ordering: .relaxed)
        body()
        counts.writer.store(0, ordering: .relaxed)
        if counts.own.load(ordering: .relaxed) == before { isOwed = true }
    }
}
