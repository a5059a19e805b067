import Durations
import Synchronization

/// Records latencies from one streaming thread; any thread may read them concurrently.
///
/// Recording locks no mutex, allocates no memory and never waits. The counters only rise. A window is the difference of
/// two readings (`ElementHistory`), so no counter is cleared while a thread reads it.
///
/// The recorder is a struct inside a pad record, because a reference would be retained and released for each frame. A
/// reading during `record` may lack a part of that latency, which the next reading contains.
public struct LatencyRecorder: ~Copyable, Sendable {
    private let bins: InlineArray<1024, Atomic<UInt64>>
    private let total = Counter()
    private let longest = Counter()
    private let missed = Counter()

    /// Creates an empty recorder.
    public init() { bins = InlineArray { _ in Atomic(0) } }

    /// Records a latency in nanoseconds.
    public func record(_ nanoseconds: UInt64) {
        let bin = DurationBins.bin(of: nanoseconds)
        bins[bin].store(bins[bin].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        total.add(nanoseconds)
        longest.raise(to: nanoseconds)
    }

    /// Counts a frame whose latency is unknown; such a frame lowers the coverage.
    public func recordUnknown() { missed.add() }

    /// Returns the counts since the start.
    public func read() -> LatencyCounts {
        var histogram = DurationHistogram()
        for bin in 0..<DurationBins.count {
            let count = bins[bin].load(ordering: .relaxed)
            if count > 0 { histogram.add(count, toBin: bin) }
        }
        histogram.extend(sum: .nanoseconds(total.value), longest: .nanoseconds(longest.value))
        return LatencyCounts(histogram: histogram, unknown: missed.value)
    }
}
