import Synchronization

/// Times at which the last 256 frames passed a pad, found by PTS.
///
/// One thread at a time notes and flushes frames. Any thread may reset the table, or look up frames with its own
/// `FrameCursor`; no method locks a mutex. A PTS may be missing, repeated, decreasing, or near 2^64. An overwritten
/// frame is not found.
public struct FrameTimes: ~Copyable, Sendable {
    /// Number of frames that are remembered.
    public static let capacity = 256
    /// PTS of a buffer without a PTS: `GST_CLOCK_TIME_NONE`.
    public static let noPTS = UInt64.max
    /// Maximum difference between a sought PTS and the earlier PTS that is found instead: 1 s, in nanoseconds.
    public static let longestDistance: UInt64 = 1_000_000_000

    private let pts: InlineArray<256, Atomic<UInt64>>
    private let times: InlineArray<256, Atomic<UInt64>>
    // Frames are numbered from 0, including those without PTS; frame n lies in slot n % 256. Frames before `first`
    // cannot be found. Frames before `firstUnflushed` were flushed.
    private let next = Atomic<UInt64>(0)
    private let first = Atomic<UInt64>(0)
    private let firstUnflushed = Atomic<UInt64>(0)
    // Number of the last frame without PTS, or with an earlier PTS than the frame before it.
    private let unsorted = Atomic<UInt64>(0)
    private let stamps = Counter()

    /// Creates an empty table.
    public init() {
        pts = InlineArray { _ in Atomic(Self.noPTS) }
        times = InlineArray { _ in Atomic(0) }
    }

    /// Number of frames noted since the start.
    public var noted: UInt64 { next.load(ordering: .acquiring) }

    /// Number of noted frames with a PTS.
    public var stamped: UInt64 { stamps.value }

    /// Time at which the last frame was noted; nil before the first one.
    public var last: UInt64? {
        let number = next.load(ordering: .acquiring)
        guard number > 0 else { return nil }
        return times[Int(truncatingIfNeeded: (number &- 1) & 255)].load(ordering: .relaxed)
    }

    /// Notes that a frame passes at `time`, in nanoseconds; a frame without PTS is counted, but never found.
    public func note(pts stamp: UInt64, time: UInt64) {
        let number = next.load(ordering: .relaxed)
        let slot = Int(truncatingIfNeeded: number & 255)
        let previous = pts[Int(truncatingIfNeeded: (number &- 1) & 255)].load(ordering: .relaxed)
        if previous > stamp || stamp == Self.noPTS { unsorted.store(number, ordering: .relaxed) }
        if stamp != Self.noPTS { stamps.add() }
        // A reader that loads the new time then loads either no PTS or the new PTS (see `frame`).
        pts[slot].store(Self.noPTS, ordering: .relaxed)
        times[slot].store(time, ordering: .releasing)
        pts[slot].store(stamp, ordering: .releasing)
        next.store(number &+ 1, ordering: .releasing)
    }

    /// Discards all frames after a pause, although they may still leave.
    public func reset() { first.store(next.load(ordering: .relaxed), ordering: .releasing) }

    /// Discards all frames after a flush or a restart, because they will not leave.
    public func flush() {
        reset()
        firstUnflushed.store(first.load(ordering: .relaxed), ordering: .releasing)
    }

    var flushed: UInt64 { firstUnflushed.load(ordering: .acquiring) }

    /// Whether an unknown frame that leaves may have entered since the last flush.
    var mayHideFrames: Bool { flushed == 0 || first.load(ordering: .acquiring) > flushed || hasForgotten }

    /// Whether a frame was overwritten since the last flush.
    var hasForgotten: Bool {
        let all = all
        return all.upperBound - all.lowerBound > UInt64(Self.capacity)
    }

    /// All frames since the last flush, including those that cannot be found.
    var all: Range<UInt64> {
        let end = next.load(ordering: .acquiring)
        return min(flushed, end)..<end
    }

    var range: Range<UInt64> {
        let end = next.load(ordering: .acquiring)
        let oldest = end > 256 ? end - 256 : 0
        return min(max(oldest, first.load(ordering: .acquiring)), end)..<end
    }

    /// Whether no frame of `range` has an earlier PTS than the frame before it.
    func isSorted(_ range: Range<UInt64>) -> Bool { range.lowerBound >= unsorted.load(ordering: .relaxed) }

    /// Returns a frame; nil if it is being overwritten.
    func frame(_ number: UInt64) -> FrameCursor.Match? {
        let slot = Int(truncatingIfNeeded: number & 255)
        let stamp = pts[slot].load(ordering: .acquiring)
        let time = times[slot].load(ordering: .acquiring)
        guard stamp != Self.noPTS, pts[slot].load(ordering: .relaxed) == stamp else { return nil }
        return FrameCursor.Match(number: number, pts: stamp, time: time)
    }
}
