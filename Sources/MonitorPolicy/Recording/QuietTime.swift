import Synchronization

/// Time during which a stream is not expected to deliver frames: before the first one, paused, in a gap, after EOS.
///
/// Any other time without frames is a stall and lowers the rate. Any thread may begin a quiet time; a frame ends it.
public final class QuietTime: Sendable {
    private static let never = UInt64.max
    // Start of the present quiet time; `never` while frames are expected.
    private let since: Atomic<UInt64>
    private let until = Atomic<UInt64>(.max)
    private let total = Atomic<UInt64>(0)

    /// Creates a quiet time from `now` until the first frame.
    public init(now: UInt64) { since = Atomic(min(now, Self.never - 1)) }

    /// Begins a quiet time at `now` that ends with the next frame, at the latest at `end`.
    ///
    /// Pass `.max` when the stream pauses or ends, the end of the gap for a GAP event, or the end of a grace time after
    /// a start, a seek or a flush. A call replaces the end that the previous call set.
    public func begin(now: UInt64, until end: UInt64) {
        frameArrived(now: now)
        until.store(end, ordering: .relaxed)
        since.store(min(now, Self.never - 1), ordering: .releasing)
    }

    /// Ends the quiet time when a frame arrives.
    public func frameArrived(now: UInt64) {
        guard since.load(ordering: .relaxed) != Self.never else { return }
        let start = since.exchange(Self.never, ordering: .acquiringAndReleasing)
        guard start != Self.never else { return }
        let end = min(now, until.load(ordering: .relaxed))
        if end > start { total.wrappingAdd(end - start, ordering: .relaxed) }
    }

    /// Sum of all quiet times up to `now`, in nanoseconds.
    public func total(now: UInt64) -> UInt64 {
        let start = since.load(ordering: .acquiring)
        let sum = total.load(ordering: .relaxed)
        let end = min(now, until.load(ordering: .relaxed))
        return end > start ? sum &+ (end - start) : sum
    }
}
