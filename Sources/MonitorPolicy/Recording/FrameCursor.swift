import Synchronization

/// Looks up frames in a `FrameTimes` for one thread.
///
/// Frames usually leave in the order of arrival, so the successor of the last match is compared first. If it does not
/// match, the table is searched: in 8 steps if its PTS rise, or through all of its 256 slots.
public struct FrameCursor: ~Copyable, Sendable {
    private let expected = Atomic<UInt64>(0)

    /// Creates a cursor at the first frame.
    public init() {}

    /// A frame that was found.
    public struct Match: Sendable, Equatable {
        /// Number of the frame in its table, from 0.
        public let number: UInt64
        /// PTS of the frame, in nanoseconds.
        public let pts: UInt64
        /// Time at which the frame was noted, in nanoseconds.
        public let time: UInt64
    }

    /// Finds the frame with this PTS, or with the nearest earlier PTS, at most 1 s before it.
    ///
    /// Returns nil without a PTS, or if the table contains no such frame. Of adjacent frames with the same PTS, such as
    /// the packets of a frame, returns the first that has not left.
    public func find(
        pts: UInt64, in table: borrowing FrameTimes, hasLeft: (UInt64) -> Bool = { _ in false }
    ) -> Match? {
        guard pts != FrameTimes.noPTS else { return nil }
        let range = table.range
        let hint = expected.load(ordering: .relaxed)
        if range.contains(hint), let frame = table.frame(hint), frame.pts == pts, !hasLeft(hint) { return found(frame) }
        let nearest = table.isSorted(range) ? lastNotAfter(pts, range, table) : nearestNotAfter(pts, range, table)
        guard var nearest, pts - nearest.pts <= FrameTimes.longestDistance else { return nil }
        while nearest.number > range.lowerBound, let frame = table.frame(nearest.number - 1), frame.pts == nearest.pts,
            !hasLeft(frame.number)
        {
            nearest = frame
        }
        return found(nearest)
    }

    private func lastNotAfter(_ pts: UInt64, _ range: Range<UInt64>, _ table: borrowing FrameTimes) -> Match? {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + ((high - low) / 2)
            // A frame that is being overwritten is older than the remaining frames.
            if let frame = table.frame(middle), frame.pts > pts { high = middle } else { low = middle + 1 }
        }
        guard low > range.lowerBound, let frame = table.frame(low - 1), frame.pts <= pts else { return nil }
        return frame
    }

    private func nearestNotAfter(_ pts: UInt64, _ range: Range<UInt64>, _ table: borrowing FrameTimes) -> Match? {
        var nearest: Match?
        for number in range.reversed() {
            guard let frame = table.frame(number), frame.pts <= pts else { continue }
            if frame.pts == pts { return frame }
            if nearest.map({ $0.pts < frame.pts }) ?? true { nearest = frame }
        }
        return nearest
    }

    private func found(_ frame: Match) -> Match {
        expected.store(frame.number &+ 1, ordering: .relaxed)
        return frame
    }
}
