/// Decides which frames a queue takes, drops and lets out.
///
/// It holds no frames: whoever does tells it what happens, under one lock, and does what it answers. Frames in flight
/// are those that went out and did not come back. Times are nanoseconds of one monotonic clock.
public struct BackpressurePolicy: Sendable {
    /// What to do with a frame at the entrance.
    public enum Arrival: Sendable, Equatable {
        case enqueue
        case drop(DropReason)
        /// Drop the oldest that may be while `hasTooMuch`, and ask again.
        case makeRoom(DropReason)
        /// Ask again when the queue has become emptier.
        case waitForRoom
    }

    /// What to do with the oldest frame in the queue.
    public enum Departure: Sendable, Equatable {
        /// Push it; of several that go together only so many.
        case push(UInt32)
        case drop(DropReason)
        /// Take the oldest frame in flight for lost.
        case expireOldest
        /// Ask again when one in flight comes back, or at this time.
        case waitForCredit(until: UInt64?)
    }

    public var limits = BackpressureLimits()
    public internal(set) var level = LevelMeter()
    public internal(set) var counts = FrameCounts()
    public var keyUnits = KeyUnitGate()
    public internal(set) var inFlightLimit = InFlightLimit()
    public internal(set) var overload = OverloadDetector()
    public internal(set) var stream = StreamFacts()
    /// Whether the source is live, as the last LATENCY query said.
    public var isLive = false
    /// The pipeline was set from PLAYING to PAUSED, where sinks keep what they have.
    public var isPaused = false
    /// Whether the queue stands still for too many frames are out.
    public internal(set) var isWaitingForCredit = false
    /// A run of frames is being dropped.
    var isClearing = false
    /// Frames left too little room in the queue since the last one left it.
    var hasOverflowed = false
    var overflowingExits = 0
    /// Frames waited for credit since the delay was last measured.
    var wasOutOfCredit = false
    var releasesWhileStanding: UInt64 = 0
    var standsSince: UInt64 = 0

    public init() {}

    // MARK: What is in force

    /// Where frames are lost.
    public var leak: Leak {
        limits.leak == .automatic ? (isLive ? .downstream : .none) : limits.leak
    }

    /// Whether the delay of frames, rather than a size, decides what is dropped.
    public var dropsByDelay: Bool { limits.isEnabled && limits.hasAutomaticSizes && leak != .none }

    /// The sizes that apply where not `dropsByDelay`.
    var sizes: BackpressureLimits {
        guard limits.hasAutomaticSizes else { return limits }
        var plain = limits
        plain.maxBuffers = BackpressureLimits.plainBuffers
        plain.maxBytes = UInt32(BackpressureLimits.plainBytes)
        plain.maxTime = BackpressureLimits.plainTime
        return plain
    }

    /// The kind in force: until a delta unit has come, encoded frames are taken to stand for themselves.
    var kind: StreamKind { stream.kind == .groups && !keyUnits.hasSeenDelta ? .pictures : stream.kind }

    var bounds: WaitingBounds { WaitingBounds(kind, frameDuration: stream.frameDuration) }

    /// Whether the limit of frames in flight is learned.
    ///
    /// Without a live source nothing is limited unless the application asks for it.
    var learnsLimit: Bool { limits.isEnabled && limits.maxInFlight == 0 && (isLive || leak != .none) }

    /// The limit of frames in flight that is in force; nil for none.
    public var creditLimit: UInt32? {
        guard limits.isEnabled, limits.maxInFlight != BackpressureLimits.unlimited else { return nil }
        guard limits.maxInFlight == 0 else { return limits.maxInFlight }
        return learnsLimit ? inFlightLimit.limit : nil
    }

    /// How long after its time a frame leaves, in nanoseconds.
    ///
    /// With a deadline that is the time by which it is past it, but never more than it has waited here: what was late
    /// already is nothing that this queue can help. Without a deadline it is what it has waited.
    public func delay(of frame: QueuedFrame, now: UInt64) -> UInt64 {
        let waited = now > frame.enteredAt ? now - frame.enteredAt : 0
        guard let deadline = stream.deadline, let age = frame.ageOnEntry else { return waited }
        let (late, isTooMuch) = Int64(clamping: waited).addingReportingOverflow(age.subtractingClamped(deadline))
        return isTooMuch ? waited : min(waited, UInt64(max(late, 0)))
    }

    /// The longest delay now.
    func longestDelay(of frame: QueuedFrame) -> UInt64 {
        let bounds = bounds
        if isClearing { return bounds.afterDrop }
        if stream.canMeetDeadline, frame.ageOnEntry != nil {
            guard overload.isOverloaded else { return bounds.pastDeadline }
            // The sink waits for a frame that is early, and that time is lost to a slow element in the same thread:
            // it works all the time only if frames may be one frame late.
            let tolerated = kind == .pictures ? min(stream.sinks.tolerance, stream.frameDuration) : 0
            return max(bounds.pastDeadlineWhileOverloaded, tolerated)
        }
        return overload.isOverloaded ? bounds.whileOverloaded : bounds.longest
    }

    /// Why `frame`, the oldest of those in the queue, is of no use any more; nil while it is.
    func overdue(_ frame: QueuedFrame, now: UInt64) -> DropReason? {
        let delay = delay(of: frame, now: now)
        guard delay > longestDelay(of: frame) else {
            let isGivenUpFirst = kind == .groups && frame.isDisposable && overload.isOverloaded
            if isGivenUpFirst, delay > bounds.normal / 2 { return congestion }
            // PTS that lie in the future are no reason to collect frames without end.
            let waited = now > frame.enteredAt ? now - frame.enteredAt : 0
            let (most, isEndless) = stream.permittedWait.addingReportingOverflow(bounds.longest)
            return !isEndless && waited > most ? congestion : nil
        }
        return stream.canMeetDeadline && frame.ageOnEntry != nil ? .late : congestion
    }

    var congestion: DropReason { isWaitingForCredit ? .inFlight : .full }

    // MARK: The entrance

    /// A frame came, and is counted by what is then done with it.
    ///
    /// `oldest` is the oldest frame in the queue that may be dropped. `inFlight` tells why a full queue is full: for
    /// want of credit, or because its thread has not had its turn.
    public mutating func frameArrived(
        _ frame: QueuedFrame, oldest: QueuedFrame?, inFlight: Int, now: UInt64
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

    /// Why the oldest frame must go when `bytes` more come; nil when it may stay.
    func excess(_ oldest: QueuedFrame, arriving bytes: UInt64, _ now: UInt64) -> DropReason? {
        if level.bytes &+ bytes > BackpressureLimits.automaticBytes, level.buffers >= stream.framesInLatency {
            return congestion
        }
        return overdue(oldest, now: now)
    }

    /// Whether `oldest`, the oldest frame that may be dropped, must make room for a frame that came.
    public mutating func hasTooMuch(_ oldest: QueuedFrame, arriving bytes: UInt64, now: UInt64) -> Bool {
        guard dropsByDelay else { return level.isFull(sizes) }
        return excess(oldest, arriving: bytes, now) != nil
    }

    /// Whether there is more than sizes allow that have just been lowered.
    public var exceedsSizes: Bool { !dropsByDelay && leak == .downstream && level.exceeds(sizes) }

    public mutating func frameEnqueued(_ frame: QueuedFrame) {
        counts.enter(frame.count)
        level.entered(frame)
        stream.frameEntered(frame)
        if stream.capsFrameDuration == nil { inFlightLimit.expect(frames: stream.framesInLatency) }
    }

    /// The frame at the entrance was dropped.
    public mutating func arrivalDropped(_ frame: QueuedFrame, _ reason: DropReason, now: UInt64) {
        counts.enter(frame.count)
        counts.drop(frame.count, reason)
        overload.frameDropped(now: now)
        if limits.isEnabled, !frame.isDisposable { keyUnits.frameDropped(isDelta: frame.isDelta) }
    }

    // MARK: Inside

    /// A frame in the queue was dropped; those behind it must be looked at with `isSpoiled`.
    public mutating func queuedDropped(_ frame: QueuedFrame, _ reason: DropReason, now: UInt64) {
        level.left(frame)
        counts.drop(frame.count, reason)
        guard reason == .inFlight || reason == .full || reason == .late else { return }
        overload.frameDropped(now: now)
        // One run rather than many single frames; it ends with the first that has hardly waited.
        if dropsByDelay, kind != .pictures, !frame.isDisposable { isClearing = true }
    }

    /// Whether a frame behind one that was dropped is of no use without it; `false` ends the search.
    public func isSpoiled(_ frame: QueuedFrame) -> Bool { limits.isEnabled && !keyUnits.isRaw && frame.isDelta }

    /// The search came to the entrance and met no key unit, so what arrives next is spoiled as well.
    public mutating func spoiledToTheEntrance(droppedDelta: Bool) {
        if limits.isEnabled { keyUnits.frameDropped(isDelta: droppedDelta) }
    }

    // MARK: Beginnings and ends

    /// All that was in the queue is gone; each frame was told to `queuedDropped`.
    public mutating func flushed() {
        level = LevelMeter()
        keyUnits.reset()
        isWaitingForCredit = false
        isClearing = false
        hasOverflowed = false
        overload.forgetDelay()
        // Sinks preroll anew, so downstream must get what it needs for that.
        isPaused = false
        inFlightLimit.flushed()
        stream.discontinued()
    }

    /// The stream begins anew.
    public mutating func begin() {
        inFlightLimit.reset()
        overload.reset()
        stream = StreamFacts()
        isClearing = false
        hasOverflowed = false
        isLive = false
        isPaused = false
    }

    /// Frames and threads stood still in PAUSED until now.
    public mutating func resumed(now: UInt64) {
        isPaused = false
        overload.forgetDelay()
        inFlightLimit.pushReturned(now: now)
    }

    /// Sizes, leak or liveness have changed: what was measured by the rules of before does not count.
    public mutating func rulesChanged() {
        isClearing = false
        if !dropsByDelay, overload.isOverloaded {
            overload.reset()
            inFlightLimit.overloadEnded(now: inFlightLimit.rate.lastAt ?? 0)
        }
    }

    /// The last item, the end of the stream, has left.
    public mutating func ended() { level = LevelMeter() }

    public mutating func gapEntered(from start: Int64?, to end: Int64?) {
        if start != nil { level.timePassedEntrance(from: start, to: end) }
    }

    public mutating func gapLeft(to end: Int64?) { if end != nil { level.timePassedExit(to: end) } }
}

extension Int64 {
    func addingClamped(_ more: UInt64, less: UInt64 = 0) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(Int64(clamping: more))
        return (isTooMuch ? .max : sum).subtractingClamped(Int64(clamping: less))
    }

    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isTooMuch) = subtractingReportingOverflow(other)
        return isTooMuch ? (other > 0 ? .min : .max) : difference
    }
}
