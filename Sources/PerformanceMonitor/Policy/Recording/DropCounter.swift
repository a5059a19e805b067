import Synchronization

/// Counts the frames of a `FrameTimes` that entered an element and did not leave it.
///
/// A frame counts as dropped when a frame 32 places behind it has left: encoders reorder fewer. Until then it may be
/// waiting in the element. Frames that were flushed are not counted. A frame that leaves behind 256 newer ones cannot be
/// found any more, as in a long queue; it is one of those that are missing when a later frame is found. One thread calls
/// it.
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

    /// Marks frame `number` as left, and counts those before it that were dropped.
    ///
    /// Frames before `flushed` are not counted.
    func frameLeft(_ number: UInt64, since flushed: UInt64) {
        forget(before: flushed)
        guard number >= settled.load(ordering: .relaxed) else { return }
        let end = max(newest.load(ordering: .relaxed), number &+ 1)
        settle(to: end > Self.reordering + 1 ? end - Self.reordering - 1 : 0)
        newest.store(end, ordering: .relaxed)
        let (word, bit) = Self.place(number)
        left[word].store(left[word].load(ordering: .relaxed) | bit, ordering: .relaxed)
    }

    /// Notes that a frame leaves that was overwritten since it entered.
    func unknownFrameLeft() { unknown.store(unknown.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

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
