import Durations

/// Drop policy and rate control of a queue.
///
/// The policy holds no frames. The queue reports each event under its mutex and executes the returned action. A frame
/// is in flight from its push until its release. `now` and other times count from the zero of one monotonic clock.
///
/// A policy takes about 3 kB. A call of a nonmutating function would copy the policy, so such functions are inlined.
public struct BackpressurePolicy: Sendable {
    /// Action for a frame at the entrance.
    public enum Arrival: Sendable, Equatable {
        /// Enqueue the frame.
        case enqueue
        /// Drop the frame.
        case drop(DropReason)
        /// Drop the oldest droppable frames while `hasTooMuch` returns true, then call `frameArrived` again.
        case makeRoom(DropReason)
        /// Block the streaming thread until the level falls, then call `frameArrived` again.
        case waitForRoom
    }

    /// Action for the oldest frame in the queue.
    public enum Departure: Sendable, Equatable {
        /// Push this many frames; a buffer list may be pushed in parts.
        case push(UInt32)
        /// Drop the frame.
        case drop(DropReason)
        /// Count the oldest frame in flight as expired, then call `frameIsNext` again.
        case expireOldest
        /// Call `frameIsNext` again after the next release, or at this time.
        case waitForCredit(until: Duration?)
    }

    /// Limits that the application has set.
    public var limits = BackpressureLimits()
    /// Level of the queue.
    public internal(set) var level = LevelMeter()
    /// Counters of frames.
    public internal(set) var counts = FrameCounts()
    /// Drops frames that cannot be decoded until the next key unit.
    public var keyUnits = KeyUnitGate()
    @usableFromInline var inFlightLimit = InFlightLimit()
    /// Detects whether downstream is slower than the stream.
    public internal(set) var overload = OverloadDetector()
    /// Properties of the stream that determine which frames are dropped.
    public internal(set) var stream = StreamFacts()
    /// Whether the source is live, according to the last LATENCY query.
    public var isLive = false
    /// State of the element.
    public internal(set) var playback = Playback.prerolling
    /// Whether the exit waits because the limit of frames in flight is reached.
    public internal(set) var isWaitingForCredit = false
    /// Whether frames are dropped until the delay is at most `WaitingBounds.afterDrop`.
    var isClearing = false
    /// Whether, since the last frame left, a frame arrived while the oldest frame exceeded its bounds.
    var hasOverflowed = false
    /// Number of consecutive frames that left while `hasOverflowed` was true.
    var overflowingExits = 0
    /// Number of releases since `standsSince`.
    var releasesWhileStanding = 0
    /// Time at which the present delay began, or was last evaluated.
    var standsSince = Duration.zero
    private var storedBounds = (
        kind: StreamKind.samples, duration: StreamFacts.presumedDuration,
        bounds: WaitingBounds(.samples, frameDuration: StreamFacts.presumedDuration)
    )

    public init() {}

    /// State of the element; it determines whether frames age.
    public enum Playback: Sendable, Equatable {
        /// PAUSED before the first PLAYING, or after a flush in PAUSED: sinks require frames to preroll.
        case prerolling
        /// PLAYING: the running time is comparable with timestamps.
        case playing
        /// PAUSED after PLAYING: sinks keep their frames, and queued frames do not age.
        case paused(since: Duration)
    }

    /// Whether the element went from PLAYING to PAUSED.
    @inlinable @inline(__always) public var isPaused: Bool { if case .paused = playback { true } else { false } }

    // MARK: Effective limits

    /// Drop policy that applies; never `automatic`.
    @inlinable @inline(__always) public var leak: Leak {
        limits.leak == .automatic ? (isLive ? .downstream : .none) : limits.leak
    }

    /// Whether frames are dropped because of their delay, and not because of the size of the queue.
    @inlinable @inline(__always) public var dropsByDelay: Bool {
        limits.isEnabled && limits.hasAutomaticSizes && leak != .none
    }

    /// Whether the exit may drop a frame or wait for credit; if not, each frame is pushed at once.
    @inlinable @inline(__always) var decidesAtExit: Bool {
        dropsByDelay || creditLimit != nil || (limits.isEnabled && limits.maxLatency > .zero)
    }

    /// Whether decisions depend on the age of frames, which requires a sink that waits for the clock.
    ///
    /// The getter is mutating, because a nonmutating one copies the policy.
    public var usesAges: Bool {
        mutating get { (dropsByDelay || learnsLimit) && stream.permittedWait > .zero }
    }

    @inline(__always) var sizes: BackpressureLimits {
        guard limits.hasAutomaticSizes else { return limits }
        var plain = limits
        plain.maxBuffers = BackpressureLimits.plainBuffers
        plain.maxBytes = UInt32(BackpressureLimits.plainBytes)
        plain.maxTime = BackpressureLimits.plainTime
        return plain
    }

    /// Effective kind of the stream: encoded frames count as independent until a delta unit arrives.
    @inline(__always) var kind: StreamKind {
        stream.kind == .groups && !keyUnits.hasSeenDelta ? .pictures : stream.kind
    }

    /// Bounds of the delay, cached because they are read four times per frame and take 340 instructions to compute.
    @inline(__always) var bounds: WaitingBounds {
        mutating get {
            let (kind, duration) = (kind, stream.frameDuration)
            if kind != storedBounds.kind || duration != storedBounds.duration {
                storedBounds = (kind, duration, WaitingBounds(kind, frameDuration: duration))
            }
            return storedBounds.bounds
        }
    }

    /// Whether the limit of frames in flight is learned.
    ///
    /// If the source is not live and `leak` is `none`, there is no limit, except one that the application sets.
    @inlinable @inline(__always) var learnsLimit: Bool {
        limits.isEnabled && limits.maxInFlight == 0 && (isLive || leak != .none)
    }

    /// Current limit of frames in flight; nil for none.
    @inlinable @inline(__always) public var creditLimit: UInt32? {
        guard limits.isEnabled, limits.maxInFlight != BackpressureLimits.unlimited else { return nil }
        guard limits.maxInFlight == 0 else { return limits.maxInFlight }
        return learnsLimit ? inFlightLimit.limit : nil
    }

    /// Delay of a frame that leaves now: the time since its entry, or the time past the deadline if that is shorter.
    ///
    /// Time past the deadline is clamped to the time in this queue, because elements upstream caused the rest of it.
    @inline(__always) public func delay(of frame: QueuedFrame, now: Duration) -> Duration {
        let waited = max(now - frame.enteredAt, .zero)
        guard let deadline = stream.deadline, let age = frame.ageOnEntry else { return waited }
        return min(waited, max(age + waited - deadline, .zero))
    }

    /// Longest delay that is permitted for `frame` at present.
    @inline(__always) mutating func longestDelay(of frame: QueuedFrame) -> Duration {
        let bounds = bounds
        if isClearing { return bounds.afterDrop }
        if stream.canMeetDeadline, frame.ageOnEntry != nil {
            guard overload.isOverloaded else { return bounds.pastDeadline }
            // A sink that waits for the time of an early frame blocks the streaming thread, and a slow element in that
            // thread is idle meanwhile. If a frame may be late by up to one frame duration, the sink does not wait.
            let frame = stream.frameDuration
            let tolerated = kind == .pictures ? min(stream.sinks.tolerance ?? frame, frame) : .zero
            return max(bounds.pastDeadlineWhileOverloaded, tolerated)
        }
        return overload.isOverloaded ? bounds.whileOverloaded : bounds.longest
    }

    /// Reason to drop `frame`, the oldest in the queue; nil if it may stay.
    @inline(__always) mutating func overdue(_ frame: QueuedFrame, now: Duration) -> DropReason? {
        let delay = delay(of: frame, now: now)
        guard delay > longestDelay(of: frame) else {
            let isDroppedFirst = kind == .groups && frame.isDisposable && overload.isOverloaded
            if isDroppedFirst, delay > bounds.normal / 2 { return congestion }
            return nil
        }
        return stream.canMeetDeadline && frame.ageOnEntry != nil ? .late : congestion
    }

    @inline(__always) var congestion: DropReason { isWaitingForCredit ? .inFlight : .full }

    // MARK: Entrance

    /// Decides whether a frame may enter the queue, without counting it.
    ///
    /// `oldest` is the oldest droppable frame in the queue. `inFlight` selects the reason if the queue is full:
    /// `DropReason.inFlight` if the limit of frames in flight is reached, `full` otherwise.
    public mutating func frameArrived(
        _ frame: QueuedFrame, oldest: QueuedFrame?, inFlight: Int, now: Duration
    ) -> Arrival {
        if limits.isEnabled, keyUnits.frameArrived(isDelta: frame.isDelta), frame.isDroppable {
            return .drop(.waitingForKeyUnit)
        }
        if dropsByDelay {
            guard let oldest, let reason = excess(oldest, arriving: frame.bytes, now) else { return .enqueue }
            if !overload.isOverloaded, reason != .late { hasOverflowed = true }
            if leak == .upstream { return frame.isDroppable ? .drop(reason) : .enqueue }
            return .makeRoom(reason)
        }
        guard level.isFull(sizes) else { return .enqueue }
        if leak == .none { return .waitForRoom }
        guard frame.isDroppable else { return .enqueue }
        let isOutOfCredit = creditLimit.map { inFlight >= Int($0) } ?? false
        let reason = isOutOfCredit || isWaitingForCredit ? DropReason.inFlight : .full
        return leak == .upstream ? .drop(reason) : .makeRoom(reason)
    }

    /// Reason to drop the oldest frame when a frame of `bytes` bytes arrives; nil if the oldest frame may stay.
    @inline(__always)
    mutating func excess(_ oldest: QueuedFrame, arriving bytes: UInt64, _ now: Duration) -> DropReason? {
        if level.bytes &+ bytes > BackpressureLimits.automaticBytes, level.buffers >= stream.framesInLatency {
            return congestion
        }
        return overdue(oldest, now: now)
    }

    /// Whether `oldest`, the oldest droppable frame, must be dropped for the arriving frame.
    @usableFromInline mutating func hasTooMuch(_ oldest: QueuedFrame, arriving bytes: UInt64, now: Duration) -> Bool {
        guard dropsByDelay else { return level.isFull(sizes) }
        return excess(oldest, arriving: bytes, now) != nil
    }

    /// Sizes of a queue that drops its oldest frames when it is full; nil for any other queue.
    var droppingSizes: BackpressureLimits? { !dropsByDelay && leak == .downstream ? sizes : nil }

    /// Whether the level exceeds a size that is lower than in `before`.
    ///
    /// A size that was not lowered is ignored, because the last frame to enter may exceed the maximum of bytes or time.
    func exceedsSizes(loweredFrom before: BackpressureLimits?) -> Bool {
        guard let sizes = droppingSizes else { return false }
        return level.exceeds(sizes, loweredFrom: before)
    }

    /// A frame was enqueued.
    public mutating func frameEnqueued(_ frame: QueuedFrame) {
        counts.enter(frame.count)
        level.entered(frame)
        stream.frameEntered(frame)
        if stream.capsFrameDuration == nil, learnsLimit { inFlightLimit.expect(frames: stream.framesInLatency) }
    }

    /// The arriving frame was dropped.
    public mutating func arrivalDropped(_ frame: QueuedFrame, _ reason: DropReason, now: Duration) {
        counts.enter(frame.count)
        counts.drop(frame.count, reason)
        overload.frameDropped(inQueue: false, now: now)
        if limits.isEnabled, !frame.isDisposable { keyUnits.frameDropped(isDelta: frame.isDelta) }
    }

    // MARK: Queue

    /// A frame in the queue was dropped; the caller then checks the frames behind it with `isUndecodable`.
    public mutating func queuedDropped(_ frame: QueuedFrame, _ reason: DropReason, now: Duration) {
        level.left(frame)
        counts.drop(frame.count, reason)
        guard reason == .inFlight || reason == .full || reason == .late else { return }
        overload.frameDropped(inQueue: true, now: now)
        // Drops one run of frames instead of many single frames. The run ends at the first frame with a short delay.
        if dropsByDelay, kind != .pictures, !frame.isDisposable { isClearing = true }
    }

    /// Whether a frame behind a dropped one cannot be decoded; the search for such frames ends at the first `false`.
    @usableFromInline func isUndecodable(_ frame: QueuedFrame) -> Bool {
        limits.isEnabled && !keyUnits.isRaw && frame.isDelta
    }

    /// No key unit follows a dropped frame in the queue, so arriving delta units cannot be decoded either.
    @usableFromInline mutating func droppedUpToEntrance(droppedDelta: Bool) {
        if limits.isEnabled { keyUnits.frameDropped(isDelta: droppedDelta) }
    }
}
