/// A queue without threads and locks: what lies in it, and what to do next.
///
/// Its holder calls it under one lock, and does what it returns without the lock. Times are nanoseconds of one monotonic
/// clock. The functions called for each frame are inlinable: the module that names `Content` specializes them.
public struct QueueMachine<Content: QueueContent & ~Copyable>: ~Copyable {
    public typealias Item = QueueItem<Content>

    public var line = Ring<Item>(capacity: 32)
    /// What is to be freed as soon as the lock is not held.
    public var trash = Ring<Item>(capacity: 32)
    public var policy = BackpressurePolicy()
    /// Whether data flows; else why not.
    public var life = QueueLife()
    public var exitTurn = QueueExitTurn.working
    public var queryTurn = QueryTurn.none
    /// The frame that is being pushed, and since when.
    public var pushed: (frame: QueuedFrame, since: UInt64)?
    /// When the queue left PLAYING, and when it last returned to it.
    public internal(set) var pausedAt: UInt64?
    public internal(set) var resumedAt: UInt64 = 0

    /// No signal is to be emitted.
    public var isSilent = false
    /// How many drops make one announcement, 0 for none ever.
    public var dropLogInterval: UInt32 = 30

    @usableFromInline var report = DropReport()
    @usableFromInline var keyUnitRequests: UInt32 = 0
    @usableFromInline var hasWarnedOfPush = false
    /// The next frame in, or out, follows one that was dropped.
    @usableFromInline var entranceIsDiscontinuous = false
    @usableFromInline var exitIsDiscontinuous = false

    public init() {}

    // MARK: Life

    /// The element is started: a new stream may come.
    public mutating func begin() {
        policy.begin()
        report = DropReport()
        hasWarnedOfPush = false
        pausedAt = nil
        exitTurn = .working
    }

    /// A pad became active, or FLUSH_STOP came.
    public mutating func activated() {
        if life.activated() == .start { exitTurn = .working }
    }

    /// A pad is to become inactive, or FLUSH_START came: wake all threads.
    public mutating func flushStarted() { life.flushStarted() }

    /// RECONFIGURE came from downstream.
    public mutating func reconfigured() { life.reconfigured() }

    /// PLAYING was left: frames do not grow older until `resumed`.
    public mutating func paused(now: UInt64) {
        pausedAt = now
        policy.isPaused = true
    }

    /// PLAYING was reached.
    public mutating func resumed(now: UInt64) {
        let pause = pausedAt.map { now > $0 ? now - $0 : 0 } ?? 0
        pausedAt = nil
        resumedAt = now
        pushed?.since = now
        pushed?.frame.ageOnEntry = nil
        for index in 0..<line.count {
            line.update(at: index) { $0.frame.enteredAt = min($0.frame.enteredAt &+ pause, now) }
        }
        policy.resumed(now: now)
    }

    /// Moves all items to the trash, but for sticky events when these stay until the source pad can store them.
    public mutating func flush(storesStickyEvents: Bool, keepsThemQueued: Bool = false) {
        for _ in 0..<line.count {
            guard var item = line.popFirst() else { break }
            if keepsThemQueued, item.canBeStored {
                line.append(item)
                continue
            }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: 0) }
            item.mustBeStored = storesStickyEvents && item.canBeStored
            trash.append(item)
        }
        policy.flushed()
        entranceIsDiscontinuous = false
        exitIsDiscontinuous = false
    }

    // MARK: Announcements

    /// What to do after frames were dropped, without the lock.
    public struct Drops: Sendable, Equatable {
        public var announcement: DropReport.Announcement
        /// The number of the key unit to ask upstream for.
        public var keyUnit: UInt32?

        public init(announcement: DropReport.Announcement = .init(), keyUnit: UInt32? = nil) {
            self.announcement = announcement
            self.keyUnit = keyUnit
        }
    }

    @inlinable
    mutating func dropped(_ count: UInt32, _ now: UInt64) -> Drops {
        let announcement = report.framesDropped(count, interval: dropLogInterval, now: now)
        guard policy.limits.isEnabled, policy.keyUnits.shouldRequest(now: now) else {
            return Drops(announcement: announcement)
        }
        keyUnitRequests &+= 1
        return Drops(announcement: announcement, keyUnit: keyUnitRequests)
    }

    /// How long the push under way has lasted, once, if that is longer than a frame may be out.
    @inlinable
    public mutating func pushBlocked(_ now: UInt64) -> UInt64? {
        let timeout = policy.limits.inFlightTimeout
        guard policy.limits.isEnabled, timeout > 0, !policy.isPaused, !hasWarnedOfPush, let pushed, now > pushed.since
        else { return nil }
        // A sink that keeps time waits for as long as a frame lasts, and for the latency.
        let (wait, isFar) = policy.stream.permittedWait.addingReportingOverflow(
            2 * min(policy.stream.frameDuration, 1 << 60))
        let (patience, isEndless) = timeout.addingReportingOverflow(wait)
        guard !isFar, !isEndless, now - pushed.since > patience else { return nil }
        hasWarnedOfPush = true
        return now - pushed.since
    }
}
