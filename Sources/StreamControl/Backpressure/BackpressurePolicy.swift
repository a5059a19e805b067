/// Decides which frames a queue takes, drops and lets out.
///
/// It holds no frames: whoever does tells it what happens, under one lock, and does what it answers. Frames in flight
/// are those that went out and did not come back.
public struct BackpressurePolicy: Sendable {
    /// How long all frames stay out, before any has ever come back, until the pipeline is asked what it needs.
    public static let patience: UInt64 = 100_000_000

    /// What to do with a frame at the entrance.
    public enum Arrival: Sendable, Equatable {
        case enqueue
        case drop(DropReason)
        /// Drop the oldest that may be, as `makeRoom` says, and ask again.
        case makeRoom(DropReason)
        /// Ask again when the queue has become emptier.
        case waitForRoom
    }

    /// What to do with the oldest frame in the queue.
    public enum Departure: Sendable, Equatable {
        /// Push it; of several that go together only so many.
        case push(UInt32)
        case dropLate
        /// Take the oldest frame in flight for lost.
        case expireOldest
        /// Ask how much latency the pipeline has.
        case askLatency
        /// Ask again when one in flight comes back, or at this time.
        case waitForCredit(until: UInt64?)
    }

    public var limits = BackpressureLimits()
    public private(set) var level = LevelMeter()
    public private(set) var counts = FrameCounts()
    public var keyUnits = KeyUnitGate()
    public var credits = CreditLimit()
    /// Whether the queue stands still for too many frames are out.
    public private(set) var isWaitingForCredit = false
    private var waitsSince: UInt64 = 0
    private var hasEverReleased = false
    /// How often the pipeline was asked during this wait.
    private var questions: UInt64 = 0

    public init() {}

    /// The limit of frames in flight that is in force; nil for none.
    public var creditLimit: UInt32? { limits.isEnabled ? credits.limit(setting: limits.maxInFlight) : nil }

    // MARK: The entrance

    /// A frame came, and is counted by what is then done with it.
    ///
    /// `inFlight` tells why a full queue is full: for want of credit, or because its thread has not had its turn.
    public mutating func frameArrived(_ frame: QueuedFrame, inFlight: Int) -> Arrival {
        if limits.isEnabled, keyUnits.frameArrived(isDelta: frame.isDelta), frame.isDroppable {
            return .drop(.waitingForKeyUnit)
        }
        guard level.isFull(limits) else { return .enqueue }
        if limits.leak == .none { return .waitForRoom }
        guard frame.isDroppable else { return .enqueue }
        let isOutOfCredit = creditLimit.map { inFlight >= Int($0) } ?? false
        let reason = isOutOfCredit || isWaitingForCredit ? DropReason.inFlight : .full
        return limits.leak == .upstream ? .drop(reason) : .makeRoom(reason)
    }

    public mutating func frameEnqueued(_ frame: QueuedFrame) {
        counts.enter(frame.count)
        level.entered(frame)
    }

    /// The frame at the entrance was dropped.
    public mutating func arrivalDropped(_ frame: QueuedFrame, _ reason: DropReason) {
        counts.enter(frame.count)
        counts.drop(frame.count, reason)
        if limits.isEnabled { keyUnits.frameDropped(isDelta: frame.isDelta) }
    }

    // MARK: Inside

    /// A frame in the queue was dropped; those behind it must be looked at with `isSpoiled`.
    public mutating func queuedDropped(_ frame: QueuedFrame, _ reason: DropReason) {
        level.left(frame)
        counts.drop(frame.count, reason)
    }

    /// Whether a frame behind one that was dropped is of no use without it; `false` ends the search.
    public func isSpoiled(_ frame: QueuedFrame) -> Bool { limits.isEnabled && !keyUnits.isRaw && frame.isDelta }

    /// The search came to the entrance and met no key unit, so what arrives next is spoiled as well.
    public mutating func spoiledToTheEntrance(droppedDelta: Bool) {
        if limits.isEnabled { keyUnits.frameDropped(isDelta: droppedDelta) }
    }

    // MARK: The exit

    /// The oldest frame of the queue could go out.
    public mutating func frameIsNext(
        _ frame: QueuedFrame, inFlight: Int, oldestPushedAt: UInt64?, now: UInt64
    ) -> Departure {
        guard limits.isEnabled else { return .push(frame.count) }
        if limits.maxLatency > 0, now &- frame.enteredAt > limits.maxLatency, now > frame.enteredAt, frame.isDroppable {
            return .dropLate
        }
        guard let limit = creditLimit else { return push(frame.count, inFlight) }
        let free = Int(limit) - inFlight
        if free > 0 { return push(UInt32(clamping: min(Int(frame.count), free)), inFlight) }
        if !isWaitingForCredit {
            isWaitingForCredit = true
            waitsSince = now
            questions = 0
        }
        return waitForCredit(oldestPushedAt, now)
    }

    private mutating func push(_ count: UInt32, _ inFlight: Int) -> Departure {
        isWaitingForCredit = false
        counts.see(inFlight: UInt32(clamping: inFlight + Int(count)))
        return .push(count)
    }

    private mutating func waitForCredit(_ oldestPushedAt: UInt64?, _ now: UInt64) -> Departure {
        var deadline: UInt64?
        if limits.inFlightTimeout > 0, let oldestPushedAt {
            // No frame comes back before the pipeline's latency is over.
            let (patience, isEndless) = limits.inFlightTimeout.addingReportingOverflow(credits.longestLatency)
            let (expiry, isNever) = oldestPushedAt.addingReportingOverflow(patience)
            if !isNever, !isEndless {
                if now >= expiry { return .expireOldest }
                deadline = expiry
            }
        }
        if limits.maxInFlight == 0, !hasEverReleased {
            // After 1, 3, 7, … times the patience.
            let question = waitsSince &+ (Self.patience &* ((2 << min(questions, 16)) &- 1))
            if now >= question {
                questions += 1
                return .askLatency
            }
            deadline = min(deadline ?? question, question)
        }
        return .waitForCredit(until: deadline)
    }

    public mutating func framePushed(_ frame: QueuedFrame) {
        level.left(frame)
        counts.leave(frame.count)
    }

    /// A frame came back before it was given up for lost.
    public mutating func frameReleased() {
        hasEverReleased = true
        if isWaitingForCredit { credits.releasedUnasked() }
    }

    /// The pipeline was asked, and needs this much; nil when it does not know.
    public mutating func latencyAnswered(_ latency: UInt64?) {
        guard limits.maxInFlight == 0 else { return }
        if let latency, latency > credits.longestLatency {
            credits.foundLatency = latency
        } else {
            credits.standsStill()
        }
    }

    /// The oldest frame in flight was taken for lost.
    public mutating func frameExpired() {
        counts.expire()
    }

    // MARK: Beginnings and ends

    /// All that was in the queue is gone; each frame was told to `queuedDropped`.
    public mutating func flushed() {
        level = LevelMeter()
        keyUnits.reset()
        isWaitingForCredit = false
        hasEverReleased = false
        questions = 0
    }

    /// The last item, the end of the stream, has left.
    public mutating func ended() { level = LevelMeter() }

    public mutating func gapEntered(from start: Int64?, to end: Int64?) {
        if start != nil { level.timePassedEntrance(from: start, to: end) }
    }

    public mutating func gapLeft(to end: Int64?) { if end != nil { level.timePassedExit(to: end) } }

    /// The most time in nanoseconds that data can wait here before any is lost; nil when there is no bound.
    ///
    /// `maxTime`, where it is set, or else what the frames in the queue last and the one that is being pushed.
    public var longestWait: UInt64? {
        if limits.maxTime > 0 { return limits.maxTime }
        guard limits.maxBuffers > 0, let duration = credits.frameDuration else { return nil }
        let frames = UInt64(limits.maxBuffers) + 1
        let (time, isTooMuch) = frames.multipliedReportingOverflow(by: duration)
        return isTooMuch ? nil : time
    }

    /// How many frames at most are in the queue and in flight, as far as there are limits.
    public var mostHeld: UInt32 {
        let (sum, isTooMuch) = limits.maxBuffers.addingReportingOverflow(creditLimit ?? 0)
        return isTooMuch ? .max : sum
    }

    /// How many more buffers upstream is asked to have ready.
    ///
    /// Pools make the least they are asked for at once, so a large queue must not ask for all that it may ever hold.
    public var mostAskedFor: UInt32 { min(mostHeld, Self.mostBuffersAskedFor) }

    /// As many as a V4L2 device can have at all: VIDEO_MAX_FRAME.
    static let mostBuffersAskedFor: UInt32 = 32
}
