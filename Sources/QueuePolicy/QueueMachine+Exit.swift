import Durations

// Removal of items by the streaming thread.

/// Result of the previous action of the streaming thread.
public enum QueueOutcome: Sendable, Equatable {
    /// There was no action.
    case none
    /// A frame was pushed; nil is GST_FLOW_OK.
    case pushed(QueueStop?)
    /// EOS was sent.
    case sentEndOfStream
    /// The peer handled a query; the value is true if it succeeded.
    case answered(Bool)
}

/// Next action of the streaming thread.
public enum QueueExit: Sendable, Equatable {
    /// Pause the task; with `posts`, post an error message and send EOS.
    case pause(QueueStop, posts: Bool)
    /// Empty the trash without the mutex, then call `next` again.
    case clean
    /// Emit `underrun` without the mutex, then call `next` again.
    case emitUnderrun
    /// Emit `running` without the mutex, then call `next` again.
    case emitRunning
    /// Wait until an item arrives, then call `next` again.
    case wait
    /// Call `frameIsNext` for the first item.
    case frame
    /// Send the event or the query that `takeFirst` returns.
    case send
}

extension QueueMachine where Content: ~Copyable {
    /// Records the result of the previous action and returns the next one.
    @inlinable
    public mutating func next(after outcome: inout QueueOutcome, now: Duration) -> QueueExit {
        settle(&outcome, now: now)
        exitState.woke()
        if let stop = life.stop { return pause(stop) }
        if !trash.isEmpty { return .clean }
        guard !items.isEmpty else { return exitState.foundNothing() && !isSilent ? .emitUnderrun : .wait }
        if exitState.foundItem(), !isSilent { return .emitRunning }
        return items.withElement(at: 0) { $0.isFrame } ? .frame : .send
    }

    @usableFromInline
    mutating func pause(_ stop: QueueStop) -> QueueExit {
        exitState = .working
        // A flushing pad cannot store sticky events, so they stay queued until FLUSH_STOP.
        if !stop.keepsItems { flush(storesStickyEvents: true, keepsThemQueued: stop == .flushing) }
        return .pause(stop, posts: life.postsError)
    }

    /// Records the result of the previous action.
    @inlinable
    public mutating func settle(_ outcome: inout QueueOutcome, now: Duration) {
        defer { outcome = .none }
        switch outcome {
        case .none: return
        case .answered(let isYes): queryState.answered(isYes, flows: life.stop == nil)
        case .sentEndOfStream: life.endSent(isLast: !holdsEndOfStream)
        case .pushed(let result):
            if let (bornAt, since) = pushed {
                // The clock stands still in PAUSED, so an age measured then is not valid.
                policy.pushReturned(bornAt: pausedAt == nil ? bornAt : nil, pushedAt: since, now: now)
            }
            pushed = nil
            hasWarnedOfPush = false
            if life.pushReturned(result) == .skipToNextStream { skipToNextStream() }
        }
    }

    @usableFromInline var holdsEndOfStream: Bool {
        (0..<items.count).contains { items.withElement(at: $0) { $0.content.lifeEvent == .endOfStream } }
    }

    /// Drops the items before the next SEGMENT, STREAM_START or EOS, after downstream returned EOS.
    @usableFromInline
    mutating func skipToNextStream() {
        while !items.isEmpty {
            let event = items.withElement(at: 0) { $0.content.lifeEvent }
            if event == .endOfStream || event == .segment || event == .streamStart { return }
            guard let item = items.popFirst() else { return }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: .zero) }
            trash.append(item)
        }
        life.foundNoStream()
    }

    // MARK: Frames

    /// Decides about the first frame; `oldestPushedAt` is the time at which the oldest frame in flight was pushed.
    @inlinable
    public mutating func frameIsNext(inFlight: Int, oldestPushedAt: Duration?, now: Duration)
        -> BackpressurePolicy.Departure
    {
        guard !items.isEmpty else { return .push(0) }
        let head = items.withElement(at: 0) { $0.frame }
        return policy.frameIsNext(head, inFlight: inFlight, oldestPushedAt: oldestPushedAt, now: now)
    }

    /// Whether the limit of frames in flight permits a push; false in PAUSED.
    @inlinable
    public func hasCredit(inFlight: Int) -> Bool {
        guard let limit = policy.creditLimit else { return false }
        return inFlight < max(Int(limit), 1) && !policy.isPaused
    }

    /// The first frame waits for credit.
    @inlinable
    public mutating func awaitsCredit() {
        if let limit = policy.creditLimit { exitState = .awaitingCredit(limit: limit) }
    }

    /// Drops the first frame and the following frames that cannot be decoded without it.
    @inlinable
    public mutating func dropFirst(_ reason: DropReason, now: Duration) -> DropActions {
        guard !items.isEmpty else { return DropActions() }
        let before = policy.counts.dropped
        dropWithDependents(at: 0, reason, now)
        return dropped(UInt32(clamping: policy.counts.dropped - before), now)
    }

    /// Removes `count` frames of the first item for a push; nil if the queue is empty.
    @inlinable
    public mutating func takeFrames(_ count: UInt32, now: Duration) -> Item? {
        guard !items.isEmpty, var item = splitFirst(count) ?? items.popFirst() else { return nil }
        policy.framePushed(item.frame, now: now)
        pushed = (item.frame.bornAt, now)
        if exitIsDiscontinuous {
            exitIsDiscontinuous = false
            item.isDiscontinuity = true
        }
        return item
    }

    @inlinable
    mutating func splitFirst(_ count: UInt32) -> Item? {
        guard items.withElement(at: 0, { $0.frame.count > count }) else { return nil }
        return items.update(at: 0) { $0.split(.first(count)) }
    }

    // MARK: Events and queries

    /// Removes the first item, an event or a query.
    public mutating func takeFirst() -> Item? {
        guard let item = items.popFirst() else { return nil }
        if let query = item.content.queryAddress { queryState = .asked(query) }
        if item.content.lifeEvent == .endOfStream { policy.level = LevelMeter() }
        if let end = item.frame.endsAt { policy.level.timePassedExit(to: end) }
        return item
    }
}
