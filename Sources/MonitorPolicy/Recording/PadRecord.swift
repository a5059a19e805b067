import Synchronization

/// Record of the frames that pass one pad: their number, latencies, and time blocked downstream.
///
/// One thread at a time passes frames through a pad and calls the methods that record them. Any thread may call `read`,
/// `reset` and `becomeOrigin`. No call locks a mutex, and only `read` allocates memory. A record takes 21 KB. Times are
/// in nanoseconds of one monotonic clock.
public final class PadRecord: Sendable {
    /// Role of a pad, which determines its figures.
    public enum Role: UInt8, AtomicRepresentable, Sendable {
        /// A sink pad; its frames are noted for their latency through the element.
        case sink
        /// A source pad of an element with sink pads; its frames have a latency through the element.
        case source
        /// A source pad of an element that sets the PTS; its frames are noted as the origin of frames downstream.
        case origin
    }

    /// Current role of the pad.
    public var role: Role { currentRole.load(ordering: .relaxed) }
    private let currentRole: Atomic<Role>
    /// Whether PTS are times; the PTS of RTP packets are hashes, which have no order.
    private let isOrdered: Bool
    /// Frames that passed this pad, by PTS; empty for the role `source`.
    let times = FrameTimes()
    private let latency = LatencyRecorder()
    private let age = LatencyRecorder()
    private let frames = Counter()
    private let bytes = Counter()
    private let blocked = Counter()
    private let own = Counter()
    private let held = Counter()
    private let strangers = Counter()
    /// Number of frames that entered before the monitor began, and left later.
    private let earlier = Counter()
    /// If the stream began before the monitor, PTS of its first noted frame, or `.max` before that frame; 0 if not.
    ///
    /// If PTS are hashes, the value becomes 0 when a noted frame leaves.
    private let firstPTS = Atomic<UInt64>(0)
    private let drops = DropCounter()
    private let latencyCursor = FrameCursor()
    private let ageCursor = FrameCursor()

    /// Creates an empty record; `isOrdered` is false if PTS are hashes, not times.
    public init(role: Role, isOrdered: Bool = true) {
        currentRole = Atomic(role)
        self.isOrdered = isOrdered
    }

    /// Changes the role `source` to `origin`, because the element sets the PTS of its frames.
    ///
    /// The pad then has no latency and no drops, because none of its frames entered by a sink pad.
    public func becomeOrigin() {
        _ = currentRole.compareExchange(expected: .source, desired: .origin, ordering: .relaxed)
    }

    /// Records that a buffer passes; `pts` is `FrameTimes.noPTS` if the buffer has no PTS.
    public func framePassed(pts: UInt64, now: UInt64, bytes size: UInt64 = 0) {
        frames.add()
        bytes.add(size)
        guard role != .source else { return }
        times.note(pts: pts, time: now)
        guard firstPTS.load(ordering: .relaxed) == .max else { return }
        firstPTS.store(pts == FrameTimes.noPTS ? 0 : pts, ordering: .relaxed)
    }

    /// Records the latency of a frame since it passed a sink pad of the element.
    ///
    /// Call this method on the source pad, before `framePassed`. With one sink pad, frames that do not leave are
    /// counted as dropped. Returns the time at which the frame entered; nil if it is unknown.
    @discardableResult
    public func frameLeft(pts: UInt64, now: UInt64, sinks: [PadRecord]) -> UInt64? {
        guard role == .source else { return nil }
        let entered: UInt64
        if sinks.count == 1 {
            let sink = sinks[0]
            let found = latencyCursor.find(pts: pts, in: sink.times, hasLeft: { drops.hasLeft($0) })
            let isEarlier = sink.enteredEarlier(pts, isFound: found != nil)
            guard let match = found else {
                latency.recordUnknown()
                if isEarlier {
                    earlier.add()
                    return nil
                }
                if pts == FrameTimes.noPTS { strangers.add() }
                // An unknown frame counts as a missing one only if it may have entered since the last flush.
                if pts == FrameTimes.noPTS || sink.times.mayHideFrames {
                    drops.unknownFrameLeft(since: sink.times.flushed)
                }
                return nil
            }
            entered = match.time
            note(match, left: pts, of: sink)
        } else {
            guard let time = Self.earliest(pts, of: sinks, latencyCursor) else {
                latency.recordUnknown()
                return nil
            }
            entered = time
        }
        latency.record(now > entered ? now - entered : 0)
        return entered
    }

    /// Whether a frame that leaves entered before the monitor began.
    ///
    /// A jitter buffer pushes packets in the order of their numbers, so packets after the first noted one are newer.
    private func enteredEarlier(_ pts: UInt64, isFound: Bool) -> Bool {
        let first = firstPTS.load(ordering: .relaxed)
        guard first != 0 else { return false }
        if isOrdered { return !isFound && pts < first }
        guard isFound || pts == first else { return pts != FrameTimes.noPTS }
        firstPTS.store(0, ordering: .relaxed)
        return false
    }

    private func note(_ match: FrameCursor.Match, left pts: UInt64, of sink: PadRecord) {
        if sink.times.noted > match.number &+ 1 { held.add() }
        let flushed = sink.times.flushed
        // If a frame has more packets than the table has slots, it is unknown which packet leaves.
        let isAmbiguous = sink.times.hasForgotten && sink.times.frame(sink.times.range.lowerBound)?.pts == pts
        if match.pts == pts, !isAmbiguous, drops.frameLeft(match.number, since: flushed) { return }
        drops.unknownFrameLeft(since: flushed)
        if !isAmbiguous { strangers.add() }
    }

    /// Counts frames that remain at EOS as dropped, if the record is that of a source pad.
    public func streamEnded(sinks: [PadRecord]) {
        if role == .source, sinks.count == 1 { drops.streamEnded(in: sinks[0].times.all) }
    }

    /// Records the age of a frame since it passed an upstream pad with the role `origin`.
    ///
    /// If several origins noted the frame, the earliest one counts. Returns whether the age is known.
    @discardableResult
    public func recordAge(pts: UInt64, now: UInt64, origins: [PadRecord]) -> Bool {
        guard let time = Self.earliest(pts, of: origins, ageCursor) else {
            age.recordUnknown()
            return false
        }
        age.record(now > time ? now - time : 0)
        return true
    }

    /// Records an age in a live pipeline, in nanoseconds of running time; a negative age counts as 0.
    public func recordAge(_ nanoseconds: Int64) { age.record(UInt64(clamping: nanoseconds)) }

    /// Counts a frame whose age is unknown, such as one without PTS.
    public func recordUnknownAge() { age.recordUnknown() }

    /// Adds the time that a push was blocked downstream, in nanoseconds.
    public func recordBlocked(_ nanoseconds: UInt64) { blocked.add(nanoseconds) }

    /// Adds the time spent on a received frame, without pushes downstream, in nanoseconds.
    public func recordOwn(_ nanoseconds: UInt64) { own.add(nanoseconds) }

    /// Discards the PTS of earlier frames after a pause; the counts remain.
    public func reset() { times.reset() }

    /// Discards earlier frames at FLUSH_STOP or when recording begins; `isLate` is true if frames passed before.
    public func restart(isLate: Bool) {
        times.flush()
        firstPTS.store(isLate ? .max : 0, ordering: .relaxed)
    }

    /// Number of frames that passed.
    public var passedFrames: UInt64 { frames.value }

    /// Number of frames with a PTS that passed; not counted for the role `source`.
    public var notedFrames: UInt64 { times.stamped }

    /// Returns the counts since the start.
    public func read() -> PadCounts {
        let role = role
        var counts = ElementCounts()
        (counts.hasInput, counts.hasOutput) = (role == .sink, role != .sink)
        if role == .sink {
            (counts.framesIn, counts.bytesIn) = (frames.value, bytes.value)
        } else {
            (counts.framesOut, counts.bytesOut, counts.framesIn) = (frames.value, bytes.value, earlier.value)
        }
        counts.blocked = .nanoseconds(blocked.value)
        counts.own = .nanoseconds(own.value)
        counts.held = held.value
        if role == .source { counts.latency = latency.read() }
        counts.age = age.read()
        return PadCounts(role: role, counts: counts, dropped: drops.dropped.value, strangers: strangers.value)
    }

    /// Time of the frame with the nearest PTS; the earliest time if several pads noted this frame.
    private static func earliest(_ pts: UInt64, of pads: [PadRecord], _ cursor: borrowing FrameCursor) -> UInt64? {
        var best: FrameCursor.Match?
        for pad in pads {
            guard let match = cursor.find(pts: pts, in: pad.times) else { continue }
            guard let other = best else {
                best = match
                continue
            }
            if match.pts > other.pts || (match.pts == other.pts && match.time < other.time) { best = match }
        }
        return best?.time
    }
}

/// Counts the frames of a `FrameTimes` that entered an element and did not leave it.
///
/// A missing frame may still be in the element. It counts as dropped at EOS, or when a frame more than 32 places after
/// it has left, because encoders reorder fewer frames. Flushed frames are not counted.
///
/// A frame that leaves is not found among those that entered if it has another PTS, or if 256 newer frames have entered
/// meanwhile, as in a long queue. Each such frame reduces the number of missing frames by one. Drops never exceed the
/// frames that entered and did not leave, and equal them at EOS. One thread calls the methods.
struct DropCounter: ~Copyable, Sendable {
    /// Number of later frames after which a missing frame counts as dropped.
    static let reordering: UInt64 = 32

    // One bit for each frame from `settled` to `newest`, set if the frame has left; these are fewer than 256 frames.
    private let left: InlineArray<4, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }
    /// Number of the first frame that is not yet counted as left or dropped; all frames before it are.
    private let settled = Atomic<UInt64>(0)
    /// Number of the newest frame that left, plus 1.
    private let newest = Atomic<UInt64>(0)
    /// Number of frames that left and were not found; each of them is also one of the missing frames.
    private let unknown = Atomic<UInt64>(0)
    let dropped = Counter()

    func hasLeft(_ number: UInt64) -> Bool {
        guard number >= settled.load(ordering: .relaxed) else { return true }
        guard number < newest.load(ordering: .relaxed) else { return false }
        let (word, bit) = Self.place(number)
        return left[word].load(ordering: .relaxed) & bit != 0
    }

    /// Marks frame `number` as left, and counts dropped frames before it; returns false if the frame left before.
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

    /// Counts a frame that leaves and is not found among those that entered.
    func unknownFrameLeft(since flushed: UInt64) {
        forget(before: flushed)
        unknown.store(unknown.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Counts frames that remain at EOS as dropped.
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
        // The remaining unknown frames are subtracted from missing frames after `end`.
        unknown.store(min(found - min(missing, found), Self.reordering), ordering: .relaxed)
    }

    /// Clears the marks of frames before `end`; returns the number of frames that had no mark.
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
        // No frame after the newest one has left, so all of these frames are missing.
        return missing + (end - max(start, marked))
    }

    private static func place(_ number: UInt64) -> (word: Int, bit: UInt64) {
        (Int(truncatingIfNeeded: (number & 255) / 64), 1 << (number & 63))
    }
}
