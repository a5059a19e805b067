import Synchronization

/// Counts the frames of a `FrameTimes` that entered an element and did not leave it.
///
/// A frame counts as dropped when the frame 32 places behind it has left: encoders reorder fewer. Until then it may be
/// waiting in the element. Frames that were flushed or overwritten before are not counted. One thread calls it.
struct DropCounter: ~Copyable, Sendable {
    /// Distance after which a frame that has not left is dropped.
    static let reordering: UInt64 = 32

    private let left: InlineArray<4, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }
    private let settled = Atomic<UInt64>(0)
    private let newest = Atomic<UInt64>(0)
    let dropped = Counter()

    /// Marks frame `number` as left, and counts those before it that were dropped.
    func frameLeft(_ number: UInt64, in range: Range<UInt64>) {
        let from = settled.load(ordering: .relaxed)
        guard number >= from else { return }
        let to = max(newest.load(ordering: .relaxed), number)
        newest.store(to, ordering: .relaxed)
        // Marks exist for 256 frames, and frames before `range` were flushed or forgotten.
        settle(from: from, to: max(range.lowerBound, to > 255 ? to - 255 : 0), counts: false)
        set(number)
        let end = to > Self.reordering ? to - Self.reordering : 0
        settle(from: settled.load(ordering: .relaxed), to: end, counts: true)
    }

    /// Counts the frames of the end that did not leave; none waits any more.
    func streamEnded(in range: Range<UInt64>) {
        settle(from: settled.load(ordering: .relaxed), to: range.lowerBound, counts: false)
        settle(from: settled.load(ordering: .relaxed), to: range.upperBound, counts: true)
    }

    private func settle(from: UInt64, to: UInt64, counts: Bool) {
        guard to > from else { return }
        // Every mark is cleared by 256 steps, however far the table has advanced.
        for number in (to - min(to - from, 256))..<to {
            let (word, bit) = Self.place(number)
            let marks = left[word].load(ordering: .relaxed)
            if counts, marks & bit == 0 { dropped.add() }
            left[word].store(marks & ~bit, ordering: .relaxed)
        }
        settled.store(to, ordering: .relaxed)
    }

    private func set(_ number: UInt64) {
        let (word, bit) = Self.place(number)
        left[word].store(left[word].load(ordering: .relaxed) | bit, ordering: .relaxed)
    }

    private static func place(_ number: UInt64) -> (word: Int, bit: UInt64) {
        (Int(truncatingIfNeeded: (number & 255) / 64), 1 << (number & 63))
    }
}
