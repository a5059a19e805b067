import Synchronization

/// Counts the frames of a `FrameTimes` that entered an element and did not leave it.
///
/// A frame counts as dropped when a frame 32 places behind it has left: encoders reorder fewer. Until then it may be
/// waiting in the element. Frames that were flushed are not counted. A frame that leaves with another PTS, or behind 256
/// newer ones as in a long queue, is not found; it is one of those that are missing when a later frame is found, or at
/// EOS. So no more are dropped than have entered and not left, and at EOS, as many. One thread calls it.
struct DropCounter: ~Copyable, Sendable {
    /// Distance after which a frame that has not left is dropped.
    static let reordering: UInt64 = 32

    // Marks of the frames from `settled` to `newest`, fewer than 256.
    private let left: InlineArray<4, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }
    /// Number of the first frame that was not judged.
    private let settled = Atomic<UInt64>(0)
    /// Number behind the newest frame that has left.
    private let newest = Atomic<UInt64>(0)
    /// Frames that left without being found, and are among those that are missing.
    private let unknown = Atomic<UInt64>(0)
    let dropped = Counter()

    /// Whether frame `number` has left, or was judged.
    func hasLeft(_ number: UInt64) -> Bool {
        guard number >= settled.load(ordering: .relaxed) else { return true }
        guard number < newest.load(ordering: .relaxed) else { return false }
        let (word, bit) = Self.place(number)
        return left[word].load(ordering: .relaxed) & bit != 0
    }

    /// Marks frame `number` as left, and counts those before it that were dropped; false if it has left before.
    ///
    /// Frames before `flushed` are not counted.
    func frameLeft(_ number: UInt64, since flushed: UInt64) -> Bool {
        forget(before: flushed)
        guard !hasLeft(number) else { return false }
        let end = max(newest.load(ordering: .relaxed), number &+ 1)
        settle(to: end > Self.reordering + 1 ? end - Self.reordering - 1 : 0)
        newest.store(end, ordering: .relaxed)
        let (word, bit) = Self.place(number)
        left[word].store(left[word].load(ordering: .relaxed) | bit, ordering: .relaxed)
        return true
    }

    /// Notes that a frame leaves that is not found among those that entered.
    func unknownFrameLeft(since flushed: UInt64) {
        forget(before: flushed)
        unknown.store(unknown.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Counts the frames of the end that did not leave; none waits any more.
    func streamEnded(in all: Range<UInt64>) {
        forget(before: all.lowerBound)
        settle(to: all.upperBound)
    }

    private func forget(before flushed: UInt64) {
        guard flushed > settled.load(ordering: .relaxed) else { return }
        _ = judge(to: flushed)
        unknown.store(0, ordering: .relaxed)
    }

    private func settle(to end: UInt64) {
        guard end > settled.load(ordering: .relaxed) else { return }
        let missing = judge(to: end)
        let found = unknown.load(ordering: .relaxed)
        dropped.add(missing - min(missing, found))
        // All others are frames behind `end`.
        unknown.store(min(found - min(missing, found), Self.reordering), ordering: .relaxed)
    }

    /// Clears the marks before `end`; returns the number of frames without one.
    private func judge(to end: UInt64) -> UInt64 {
        let start = settled.load(ordering: .relaxed)
        guard end > start else { return 0 }
        settled.store(end, ordering: .relaxed)
        var missing: UInt64 = 0
        var number = start
        let marked = min(end, newest.load(ordering: .relaxed))
        while number < marked {
            let (word, bit) = Self.place(number)
            let marks = left[word].load(ordering: .relaxed)
            if marks & bit == 0 { missing += 1 }
            left[word].store(marks & ~bit, ordering: .relaxed)
            number += 1
        }
        // None of those behind the newest one has left.
        return missing + (end - max(start, marked))
    }

    private static func place(_ number: UInt64) -> (word: Int, bit: UInt64) {
        (Int(truncatingIfNeeded: (number & 255) / 64), 1 << (number & 63))
    }
}
