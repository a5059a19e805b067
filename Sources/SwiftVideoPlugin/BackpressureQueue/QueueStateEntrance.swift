import GStreamer
import StreamControl

extension QueueState {
    /// What is known of a frame that tries to come in, over all its tries.
    struct Attempt {
        let facts: BufferFacts
        /// The pipeline's running time when the frame came.
        let runningTime: UInt64?
        var hasSaidOverrun = false
        var hasWaited = false
        /// Nothing more can be dropped to make room.
        var mayOverfill = false
        /// How many frames in the queue were dropped for this one.
        var droppedCount: UInt32 = 0

        init(_ facts: BufferFacts, runningTime: UInt64?) {
            self.facts = facts
            self.runningTime = runningTime
        }
    }

    enum Entry {
        case enqueued, emitOverrun, emitRunning, waitForRoom
        case dropped(UInt32)
        case refused(QueueStop)
    }

    enum EventVerdict {
        case enqueued(starts: Bool)
        case refused(QueueStop, posts: Bool)
    }

    /// Tries to take a frame in, or drops it.
    mutating func enter(
        _ item: inout QueueItem?, _ attempt: inout Attempt, inFlight: Int, _ now: UInt64
    ) -> Entry {
        if let refusal = life.refusal { return .refused(refusal) }
        while true {
            let frame = frame(attempt.facts, enteredAt: now, attempt.runningTime)
            let oldest = attempt.mayOverfill ? nil : oldestDroppable
            switch policy.frameArrived(frame, oldest: oldest, inFlight: inFlight, now: now) {
            case .waitForRoom:
                if let signal = overrun(&attempt) { return signal }
                attempt.hasWaited = true
                attempt.hasSaidOverrun = false
                return .waitForRoom
            case .drop(let reason):
                if reason != .waitingForKeyUnit, let signal = overrun(&attempt) { return signal }
                return drop(&item, frame, reason, &attempt, now)
            case .makeRoom(let reason) where !attempt.mayOverfill:
                if let signal = overrun(&attempt) { return signal }
                let before = policy.counts.dropped
                attempt.mayOverfill = !makeRoom(reason, now) { $0.hasTooMuch($1, arriving: frame.bytes, now: now) }
                attempt.droppedCount &+= UInt32(clamping: policy.counts.dropped - before)
            case .enqueue, .makeRoom:
                if attempt.hasWaited, !isSilent {
                    attempt.hasWaited = false
                    return .emitRunning
                }
                return enqueue(&item, frame, attempt.facts)
            }
        }
    }

    /// Says once that the queue is full, unless nobody wants to hear.
    private func overrun(_ attempt: inout Attempt) -> Entry? {
        guard !isSilent, !attempt.hasSaidOverrun, !attempt.hasWaited else { return nil }
        attempt.hasSaidOverrun = true
        return .emitOverrun
    }

    private mutating func enqueue(_ item: inout QueueItem?, _ frame: QueuedFrame, _ facts: BufferFacts) -> Entry {
        // Taken at most once: the loop that calls this ends with it.
        guard var taken = item.take() else { return .enqueued }
        taken.frame = frame
        taken.isDiscontinuity = entranceIsDiscontinuous
        entranceIsDiscontinuous = false
        segment.position = end(facts) ?? segment.position
        policy.frameEnqueued(frame)
        ring.append(taken)
        return .enqueued
    }

    private mutating func drop(
        _ item: inout QueueItem?, _ frame: QueuedFrame, _ reason: DropReason, _ attempt: inout Attempt, _ now: UInt64
    ) -> Entry {
        guard var dropped = item.take() else { return .dropped(0) }
        dropped.frame = frame
        policy.arrivalDropped(frame, reason, now: now)
        trash.append(dropped)
        if !frame.isDisposable { entranceIsDiscontinuous = true }
        return .dropped(frame.count &+ attempt.droppedCount)
    }

    /// The number of the key unit to ask upstream for, if it is time.
    mutating func keyUnitRequest(_ now: UInt64) -> UInt32? {
        guard policy.limits.isEnabled, policy.keyUnits.shouldRequest(now: now) else { return nil }
        keyUnitRequests &+= 1
        return keyUnitRequests
    }

    /// What a frame that comes in gives rise to beside its own fate.
    struct Attention {
        var asksSource = false
        /// For how long a push has not returned, in nanoseconds.
        var blockedFor: UInt64?

        mutating func add(_ other: Self) {
            asksSource = asksSource || other.asksSource
            blockedFor = blockedFor ?? other.blockedFor
        }
    }

    mutating func attention(_ now: UInt64) -> Attention {
        defer { mustAskSource = false }
        return Attention(asksSource: mustAskSource, blockedFor: pushBlocked(now))
    }

    /// How long the push under way has lasted, once, if that is longer than a frame may be out.
    mutating func pushBlocked(_ now: UInt64) -> UInt64? {
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

    // MARK: Events and queries

    /// Takes a serialized event in, or refuses it and leaves it to the caller to free.
    mutating func admit(_ pending: inout Event?, canStart: Bool) -> EventVerdict {
        guard let event = pending.take() else { return .refused(.flushing, posts: false) }
        let wasStopped = life.stop != nil
        switch life.eventArrived(QueueLife.EventKind(event), canStart: canStart) {
        case .enqueue(let starts):
            if starts, wasStopped { exitTurn = .working }
            note(event)
            ring.append(QueueItem(.event(event)))
            return .enqueued(starts: starts)
        case .refuse(let stop):
            pending = consume event
            return .refused(stop, posts: false)
        case .refuseAndPost(let stop):
            pending = consume event
            return .refused(stop, posts: true)
        }
    }

    private mutating func note(_ event: borrowing Event) {
        switch event.kind {
        case .segment:
            if let new = event.segment { segment = new }
            mustAskSource = true
        case .caps:
            guard let shape = event.streamShape else { return }
            policy.capsChanged(
                StreamKind(capsName: shape.name), isRaw: shape.isRaw, frameDuration: shape.frameDuration)
        case .gap:
            guard let (start, duration) = event.gap, let start else { return }
            segment.position = start &+ (duration ?? 0)
            policy.gapEntered(
                from: segment.runningTime(of: start), to: segment.runningTime(of: segment.position))
        default: return
        }
    }

    /// The answer to `query`, or nil while its sender must wait for it.
    mutating func answer(to query: UInt) -> Bool? {
        let place = (0..<ring.count).first { ring.look(at: $0) { $0.isQuery(query) } }
        switch queryTurn.looked(for: query, isQueued: place != nil, flows: life.stop == nil) {
        case .wait: return nil
        case .finish(let isYes): return isYes
        case .withdraw:
            if let place { _ = ring.remove(at: place) }
            return false
        }
    }

    // MARK: Time

    private func frame(_ facts: BufferFacts, enteredAt: UInt64, _ runningTime: UInt64?) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.count = facts.count
        frame.bytes = facts.bytes
        frame.isDelta = facts.isDeltaUnit
        frame.isDisposable = facts.isDroppable
        frame.headerCount = facts.headerCount
        frame.enteredAt = enteredAt
        // Without a time it goes on where the one before ended.
        let start = facts.startsAt ?? segment.position
        frame.startsAt = segment.runningTime(of: start)
        frame.endsAt = segment.runningTime(of: end(facts))
        if let runningTime, let presented = segment.runningTime(of: facts.presentedAt) {
            let (age, isTooMuch) = Int64(clamping: runningTime).subtractingReportingOverflow(presented)
            frame.ageOnEntry = isTooMuch ? nil : age
        }
        return frame
    }

    private func end(_ facts: BufferFacts) -> UInt64? {
        facts.endsAt ?? segment.position.map { $0 &+ (facts.duration ?? 0) }
    }
}
