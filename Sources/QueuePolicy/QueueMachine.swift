import Durations

/// State machine of a queue: holds the items and selects the next action, without threads, clock and mutex.
///
/// The owner calls the functions with one mutex locked, and executes the actions without it. `now` and all times count
/// from the zero of one monotonic clock. The functions called per frame are inlinable, so that the module of `Content`
/// can specialize them.
public struct QueueMachine<Content: QueueContent & ~Copyable>: ~Copyable {
    /// The item type of this queue.
    public typealias Item = QueueItem<Content>

    /// Queued items, the oldest first.
    public var items = Ring<Item>(capacity: 32)
    /// Items to free when the mutex is not held.
    public var trash = Ring<Item>(capacity: 32)
    /// Drop policy and rate control.
    public var policy = BackpressurePolicy()
    /// Life cycle of the queue.
    public var life = QueueLife()
    @usableFromInline var exitState = QueueExitState.working
    @usableFromInline var queryState = QueueQueryState.none
    /// The frame being pushed: the time at which its age was 0, nil if unknown, and the start time of the push.
    public var pushed: (bornAt: Duration?, since: Duration)?
    /// Time at which the element last returned to PLAYING.
    public internal(set) var resumedAt = Duration.zero

    /// Whether signals are suppressed.
    public var isSilent = false
    /// Number of drops per log line and message; 0 disables them.
    public var dropLogInterval: UInt32 = 30

    @usableFromInline var report = DropReport()
    @usableFromInline var keyUnitRequests: UInt32 = 0
    @usableFromInline var hasWarnedOfPush = false
    /// Whether the next frame to enter follows a dropped frame.
    @usableFromInline var entranceIsDiscontinuous = false
    /// Whether the next frame to leave follows a dropped frame.
    @usableFromInline var exitIsDiscontinuous = false

    public init() {}

    // MARK: Life cycle

    /// Resets the state when the element starts.
    public mutating func begin() {
        policy.begin()
        report = DropReport()
        hasWarnedOfPush = false
        exitState = .working
    }

    /// A pad was activated, or FLUSH_STOP arrived.
    public mutating func activated() {
        if life.activated() { exitState = .working }
    }

    /// A pad is being deactivated, or FLUSH_START arrived; the caller must wake all threads.
    public mutating func flushStarted() { life.flushStarted() }

    /// RECONFIGURE arrived from downstream.
    public mutating func reconfigured() { life.reconfigured() }

    /// The element left PLAYING; queued frames do not age until `resumed`.
    public mutating func paused(now: Duration) { policy.playback = .paused(since: now) }

    /// Time at which the element left PLAYING; nil in PLAYING and during preroll.
    @inlinable public var pausedAt: Duration? { if case .paused(let since) = policy.playback { since } else { nil } }

    /// The element reached PLAYING.
    public mutating func resumed(now: Duration) {
        let pause = pausedAt.map { max(now - $0, .zero) } ?? .zero
        resumedAt = now
        if pushed != nil { pushed = (nil, now) }
        for index in 0..<items.count {
            items.update(at: index) { $0.frame.enteredAt = min($0.frame.enteredAt + pause, now) }
        }
        policy.resumed(now: now)
    }

    /// Moves all items to the trash.
    ///
    /// With `keepsThemQueued`, sticky events stay queued, because a flushing source pad cannot store them.
    public mutating func flush(storesStickyEvents: Bool, keepsThemQueued: Bool = false) {
        for _ in 0..<items.count {
            guard var item = items.popFirst() else { break }
            if keepsThemQueued, item.canBeStored {
                items.append(item)
                continue
            }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: .zero) }
            item.mustBeStored = storesStickyEvents && item.canBeStored
            trash.append(item)
        }
        policy.flushed()
        entranceIsDiscontinuous = false
        exitIsDiscontinuous = false
    }

    // MARK: Drops

    @inlinable
    mutating func dropped(_ count: UInt32, _ now: Duration) -> DropActions {
        var actions = report.framesDropped(count, interval: dropLogInterval, now: now)
        if policy.limits.isEnabled, policy.keyUnits.shouldRequest(now: now) {
            keyUnitRequests &+= 1
            actions.keyUnit = keyUnitRequests
        }
        return actions
    }

    /// Duration of the current push, returned once when it exceeds the timeout; nil at all other times.
    @inlinable
    public mutating func pushBlocked(_ now: Duration) -> Duration? {
        guard let pushed, let time = pushBlockedAt, now > time else { return nil }
        hasWarnedOfPush = true
        return now - pushed.since
    }

    /// Time at which the current push exceeds the timeout; nil if the push is not monitored.
    @inlinable public var pushBlockedAt: Duration? {
        let timeout = policy.limits.inFlightTimeout
        guard policy.limits.isEnabled, timeout > .zero, !policy.isPaused, !hasWarnedOfPush, let pushed else {
            return nil
        }
        // A push to a sink that waits for the clock takes up to the latency and two frame durations.
        return pushed.since + timeout + policy.stream.permittedWait + policy.stream.frameDuration * 2
    }
}

/// State of the streaming thread at the exit.
public enum QueueExitState: Sendable, Equatable {
    /// The thread executes an action or will request the next one.
    case working
    /// The queue is empty, and `underrun` was emitted.
    case idle
    /// The first frame waits for credit under this limit of frames in flight.
    case awaitingCredit(limit: UInt32)

    /// The queue is empty; returns true if `underrun` must be emitted.
    public mutating func foundNothing() -> Bool {
        defer { self = .idle }
        return self != .idle
    }

    /// The queue holds an item; returns true if `running` must be emitted.
    public mutating func foundItem() -> Bool {
        defer { self = .working }
        return self == .idle
    }

    /// The streaming thread was woken.
    public mutating func woke() {
        if case .awaitingCredit = self { self = .working }
    }
}

/// State of a serialized query in the queue, identified by its address, whose sender waits for the answer.
public enum QueueQueryState: Sendable, Equatable {
    /// No query was sent.
    case none
    /// The query was sent to the peer and must not be freed.
    case asked(UInt)
    /// The peer handled the query; the value is true if it succeeded.
    case answered(UInt, Bool)

    /// Action for the sender of a query.
    public enum SenderAction: Sendable, Equatable {
        /// Wait until the streaming thread has handled the query.
        case wait
        /// Return this answer.
        case finish(Bool)
        /// The query fails; remove it from the queue if it is still there.
        case withdraw
    }

    /// The peer handled the query; `flows` is false if the queue was stopped meanwhile.
    public mutating func answered(_ isYes: Bool, flows: Bool) {
        guard case .asked(let query) = self else { return }
        self = .answered(query, isYes && flows)
    }

    /// The sender of `query` checks for the result; `isQueued` is true if the query is still in the queue.
    public mutating func senderChecked(_ query: UInt, isQueued: Bool, flows: Bool) -> SenderAction {
        switch self {
        case .answered(query, let isYes):
            self = .none
            return .finish(isYes)
        case .asked(query): return .wait
        default: return isQueued && flows ? .wait : .withdraw
        }
    }
}
