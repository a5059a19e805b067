import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

/// State shared by the threads of a queue, protected by the monitor.
struct QueueState: ~Copyable {
    /// Condition variables of the monitor.
    enum Wake {
        /// Signals that an item can be pushed, because the item or credit for it has arrived.
        static let exit = 0
        /// Signals that there is room for a frame.
        static let room = 1
        /// Signals that a query was answered.
        static let answer = 2
        static let count = 3
    }

    var machine = QueueMachine<QueuedData>()
    var releaseTimes = DurationHistogram()

    /// Time of the next LATENCY query, which shows whether the source is live; nil if no query is needed.
    var livenessQueryAt: Duration? = .zero
    /// Segment and position of the stream at the entrance.
    var segment = Segment()

    /// Contribution of the queue to the maximum latency.
    struct Latency: Equatable {
        var longestWait: Duration?
        var leaks: Bool
    }

    /// Contribution in the last answer to a LATENCY query; nil before the first answer.
    private var lastAnswer: Latency?

    /// Revision of the applied settings.
    private var revision: UInt64 = 0
    var scope = TokenScope.derived
    var hasWarnedOfHolder = false
    /// Whether a LATENCY event was received since the start.
    var knowsLatency = false

    mutating func apply(_ settings: BackpressureQueue.Settings, revision: UInt64) {
        guard revision > self.revision else { return }
        self.revision = revision
        machine.limitsChanged(to: settings.limits, now: MonotonicClock.now)
        machine.isSilent = settings.isSilent
        machine.dropLogInterval = settings.dropLogInterval
        scope = settings.scope
    }

    private var latency: Latency {
        // If frames are dropped because of their delay, they may wait for any deadline, so the latency is unlimited.
        Latency(
            longestWait: machine.policy.longestWait, leaks: machine.policy.leak != .none && !machine.policy.dropsByDelay
        )
    }

    /// Contribution for the answer to a LATENCY query, stored for `latencyHasChanged`.
    mutating func latencyForAnswer() -> Latency {
        lastAnswer = latency
        return latency
    }

    /// Whether the contribution differs from the last answer; returns true once per change.
    mutating func latencyHasChanged() -> Bool {
        guard lastAnswer != nil, lastAnswer != latency else { return false }
        lastAnswer = latency
        return true
    }

    mutating func begin() {
        lastAnswer = nil
        machine.begin()
        releaseTimes = DurationHistogram()
        hasWarnedOfHolder = false
        knowsLatency = false
        livenessQueryAt = .zero
    }

    /// Whether the warning about unreleased frames may be posted: true once per start.
    mutating func mayWarnOfHolder() -> Bool {
        defer { hasWarnedOfHolder = true }
        return !hasWarnedOfHolder
    }

    /// Moves all items to the trash; with `storesStickyEvents`, the source pad stores the sticky events among them.
    mutating func flush(storesStickyEvents: Bool) {
        machine.flush(storesStickyEvents: storesStickyEvents)
        segment = Segment()
    }

    mutating func forgetFrames(_ ledger: TokenLedger) {
        collect(ledger)
        ledger.forgetAll()
    }

    /// Reports the released frames to the policy.
    mutating func collect(_ ledger: TokenLedger) {
        ledger.collect { release in
            machine.policy.frameReleased(
                pushedAt: release.pushedAt, at: release.releasedAt,
                // The clock stands still in PAUSED, so the age of a frame pushed before `resumedAt` is not valid.
                age: release.pushedAt < machine.resumedAt ? nil : release.age, inFlight: ledger.inFlight)
            releaseTimes.add(release.releasedAt - release.enteredAt)
        }
    }
}

extension QueueState {
    typealias Item = QueueItem<QueuedData>

    /// Enqueues or drops a frame that arrived at `now`; `runningTime` is the running time of the pipeline at that time,
    /// nil if unknown.
    mutating func enter(
        _ content: inout QueuedData?, _ facts: BufferFacts, _ attempt: inout QueueAttempt, runningTime: Duration?,
        inFlight: Int, _ now: Duration
    ) -> QueueEntry {
        // A frame that waits for room does not age in PAUSED either. The running time of its arrival is then not valid.
        let hasPaused = now < machine.resumedAt
        let isAgeValid = !hasPaused && machine.policy.playback == .playing
        let frame = frame(facts, enteredAt: max(now, machine.resumedAt), isAgeValid ? runningTime : nil)
        let entry = machine.frameArrived(&content, frame, &attempt, inFlight: inFlight, now: now)
        if case .enqueued = entry { segment.advance(over: facts) }
        return entry
    }

    /// Actions that are due when a frame arrives, independent of the frame.
    struct DueActions {
        var queriesLiveness = false
        /// Duration of a push that has not returned; nil if it is not overdue.
        var blockedFor: Duration?
    }

    mutating func addDueActions(to due: inout DueActions, _ now: Duration) {
        if let time = livenessQueryAt, time <= now { (livenessQueryAt, due.queriesLiveness) = (nil, true) }
        due.blockedFor = due.blockedFor ?? machine.pushBlocked(now)
    }

    // MARK: Events

    /// Content of an event that the state of the queue depends on.
    enum EventContent {
        case none
        case segment(Segment?)
        /// `isRaw` is true for raw video and audio: no buffer depends on another for decoding.
        case caps(StreamKind, isRaw: Bool, frameDuration: Duration?)
        case gap(start: Duration, duration: Duration?)

        init(_ event: borrowing Event) {
            self = .none
            switch event.kind {
            case .segment: self = .segment(event.segment)
            case .caps:
                guard let caps = event.caps, let name = caps.mediaType() else { break }
                var duration: Duration?
                if case .fraction(let rate) = caps.value("framerate"), rate.numerator > 0, rate.denominator > 0 {
                    duration = .nanoseconds(UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator))
                }
                self = .caps(StreamKind(capsName: name), isRaw: name.hasSuffix("/x-raw"), frameDuration: duration)
            case .gap: if let (start, duration) = event.gap { self = .gap(start: start, duration: duration) }
            default: break
            }
        }
    }

    /// Enqueues a serialized event, or refuses it; the caller frees a refused event.
    mutating func enter(_ pending: inout QueuedData?, _ note: EventContent, canStart: Bool) -> QueueLife.EventAction {
        let action = machine.eventArrived(&pending, canStart: canStart, gapEndsAt: gapEnd(note))
        if case .enqueue = action { take(note) }
        return action
    }

    private func gapEnd(_ note: EventContent) -> Duration? {
        guard case .gap(let start, let duration) = note else { return nil }
        return segment.runningTime(of: start + (duration ?? .zero))
    }

    private mutating func take(_ note: EventContent) {
        switch note {
        case .none: return
        case .segment(let new):
            if let new { segment = new }
            livenessQueryAt = .zero
        case .caps(let kind, let isRaw, let duration):
            machine.policy.capsChanged(kind, isRaw: isRaw, frameDuration: duration)
        case .gap(let start, let duration):
            segment.position = start + (duration ?? .zero)
            machine.policy.gapEntered(
                from: segment.runningTime(of: start), to: segment.runningTime(of: segment.position))
        }
    }

    // MARK: Time

    private func frame(_ facts: BufferFacts, enteredAt: Duration, _ runningTime: Duration?) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.measure(facts)
        frame.enteredAt = enteredAt
        let times = segment.runningTimes(of: facts)
        (frame.startsAt, frame.endsAt, frame.presentedAt) = (times.start, times.end, times.presented)
        if let runningTime, let presented = times.presented { frame.ageOnEntry = runningTime - presented }
        return frame
    }
}

extension QueueState {
    /// Next action of the streaming thread, which executes it without the mutex.
    enum Exit: ~Copyable {
        case pause(QueueStop, posts: Bool)
        case emitUnderrun
        case emitRunning
        case push(QueuedData, isDiscontinuity: Bool, presentedAt: Duration?, TokenChain?)
        case send(QueuedData)
        /// Frames were dropped: empty the trash, then continue.
        case clean(DropActions)
        /// A frame expired; `warns` is true until a warning was posted.
        case expired(HeldToken?, warns: Bool)
    }

    typealias Step = Monitor<QueueState>.Step<Exit>

    /// Records the result of the previous action and returns the next action.
    mutating func exit(after outcome: inout QueueOutcome, _ ledger: TokenLedger) -> Step {
        let now = MonotonicClock.now
        switch machine.next(after: &outcome, now: now) {
        case .pause(let stop, let posts):
            ledger.awaitRelease(false)
            if !stop.keepsItems { segment = Segment() }
            return .done(.pause(stop, posts: posts))
        case .clean: return .done(.clean(.init()))
        case .emitUnderrun: return .done(.emitUnderrun)
        case .emitRunning: return .done(.emitRunning)
        case .wait: return .wait(Wake.exit, until: nil)
        case .frame: return frameStep(ledger, now)
        case .send: return .done(sendNext())
        }
    }

    private mutating func frameStep(_ ledger: TokenLedger, _ now: Duration) -> Step {
        collect(ledger)
        // Frames in flight are counted only while their number is limited.
        let counts = machine.policy.creditLimit != nil
        // Queued frames do not age in PAUSED.
        let time = machine.pausedAt ?? now
        while true {
            let oldest = counts ? ledger.oldestPushedAt.map { max($0, machine.resumedAt) } : nil
            switch machine.frameIsNext(inFlight: ledger.inFlight, oldestPushedAt: oldest, now: time) {
            case .push(let count):
                ledger.awaitRelease(false)
                return .done(takeFrames(count, counts ? ledger : nil, now))
            case .drop(let reason): return .done(.clean(machine.dropFirst(reason, now: time)))
            case .expireOldest:
                // The token is nil if the frame was just released, which gives credit.
                guard let token = ledger.expireOldest() else {
                    collect(ledger)
                    continue
                }
                machine.policy.frameExpired()
                return .done(.expired(token, warns: !hasWarnedOfHolder))
            case .waitForCredit(let deadline):
                ledger.awaitRelease(true)
                // A frame may have been released before the ledger was set to wake the exit.
                if machine.hasCredit(inFlight: ledger.inFlight) { continue }
                machine.awaitsCredit()
                return .wait(Wake.exit, until: deadline)
            }
        }
    }

    /// Removes `count` frames of the first item, with one token per frame unless `ledger` is nil.
    private mutating func takeFrames(_ count: UInt32, _ ledger: TokenLedger?, _ now: Duration) -> Exit {
        guard let item = machine.takeFrames(count, now: now) else { return .clean(.init()) }
        let tokens = ledger?.issue(
            Int(item.frame.count), enteredAt: item.frame.enteredAt, bornAt: item.frame.bornAt, now: now, scope: scope)
        let (isDiscontinuity, presentedAt) = (item.isDiscontinuity, item.frame.presentedAt)
        return .push(item.content, isDiscontinuity: isDiscontinuity, presentedAt: presentedAt, tokens)
    }

    private mutating func sendNext() -> Exit {
        guard let item = machine.takeFirst() else { return .clean(.init()) }
        return .send(item.content)
    }
}
