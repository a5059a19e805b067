// The source pad's thread takes out what comes next.

/// How it went with what was taken out last.
public enum QueueOutcome: Sendable, Equatable {
    case none
    /// A frame was pushed; nil stands for OK.
    case pushed(QueueStop?)
    case sentEndOfStream
    case answered(Bool)
}

/// What the source pad's thread does next.
public enum QueueExit: Sendable, Equatable {
    /// Pause the task; post an error message and send EOS if `posts`.
    case pause(QueueStop, posts: Bool)
    /// Empty the trash without the lock, and come again.
    case clean
    /// Emit the signal without the lock, and come again.
    case emitUnderrun
    case emitRunning
    /// Come again when something has come in.
    case wait
    /// Ask `frameIsNext` what to do with the first item.
    case frame
    /// Send the event or the query that `takeFirst` returns.
    case send
}

extension QueueMachine where Content: ~Copyable {
    /// Takes note of how it went, and says what is next.
    @inlinable
    public mutating func next(after outcome: inout QueueOutcome, now: @autoclosure () -> UInt64) -> QueueExit {
        settle(&outcome, now: now())
        exitTurn.woke()
        if let stop = life.stop { return pause(stop) }
        if !trash.isEmpty { return .clean }
        guard !line.isEmpty else { return exitTurn.foundNothing() && !isSilent ? .emitUnderrun : .wait }
        if exitTurn.foundItem(), !isSilent { return .emitRunning }
        return line.look(at: 0) { $0.isFrame } ? .frame : .send
    }

    @usableFromInline
    mutating func pause(_ stop: QueueStop) -> QueueExit {
        exitTurn = .working
        let pause = life.pause
        switch pause?.line {
        case .keep, nil: break
        case .empty: flush(storesStickyEvents: true)
        case .emptyButForStickyEvents: flush(storesStickyEvents: true, keepsThemQueued: true)
        }
        return .pause(stop, posts: pause?.posts ?? false)
    }

    /// Takes note of how it went.
    @inlinable
    public mutating func settle(_ outcome: inout QueueOutcome, now: @autoclosure () -> UInt64) {
        defer { outcome = .none }
        switch outcome {
        case .none: return
        case .answered(let isYes): queryTurn.answered(isYes, flows: life.stop == nil)
        case .sentEndOfStream: life.endSent(isLast: !holdsEndOfStream)
        case .pushed(let result):
            if var pushed {
                // On the way to PLAYING a sink returns before this element gets there.
                if pausedAt != nil { pushed.frame.ageOnEntry = nil }
                policy.pushReturned(pushed.frame, pushedAt: pushed.since, now: now())
            }
            pushed = nil
            if life.pushReturned(result) == .skipToNextStream { skipToNextStream() }
        }
    }

    /// Whether another stream ends behind the one whose EOS has just been sent.
    @usableFromInline var holdsEndOfStream: Bool {
        (0..<line.count).contains { line.look(at: $0) { $0.content.lifeEvent == .endOfStream } }
    }

    /// Downstream takes no more frames: only a new segment, a new stream or the end may follow.
    @usableFromInline
    mutating func skipToNextStream() {
        while !line.isEmpty {
            let event = line.look(at: 0) { $0.content.lifeEvent }
            if event == .endOfStream || event == .segment || event == .streamStart { return }
            guard let item = line.popFirst() else { return }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: 0) }
            trash.append(item)
        }
        life.foundNoStream()
    }

    // MARK: Frames

    /// What to do with the frame that is first.
    @inlinable
    public mutating func frameIsNext(inFlight: Int, oldestPushedAt: UInt64?, now: UInt64)
        -> BackpressurePolicy.Departure
    {
        guard !line.isEmpty else { return .push(0) }
        let head = line.look(at: 0) { $0.frame }
        return policy.frameIsNext(head, inFlight: inFlight, oldestPushedAt: oldestPushedAt, now: now)
    }

    /// Whether one came back before it was known that it is awaited.
    @inlinable
    public func hasCredit(inFlight: Int) -> Bool {
        guard let limit = policy.creditLimit else { return false }
        return inFlight < max(Int(limit), 1) && !policy.isPaused
    }

    /// The first frame waits until one comes back.
    @inlinable
    public mutating func awaitsCredit() {
        if let limit = policy.creditLimit { exitTurn = .awaitingCredit(limit: limit) }
    }

    /// Drops the first frame, and those that cannot be decoded without it.
    @inlinable
    public mutating func dropFirst(_ reason: DropReason, now: UInt64) -> Drops {
        guard !line.isEmpty else { return Drops() }
        let before = policy.counts.dropped
        dropAndSpoil(at: 0, reason, now)
        return dropped(UInt32(clamping: policy.counts.dropped - before), now)
    }

    /// Takes `count` frames of the first item out, to be pushed; nil if there is none.
    @inlinable
    public mutating func takeFrames(_ count: UInt32, now: UInt64) -> Item? {
        guard !line.isEmpty, var item = splitFirst(count) ?? line.popFirst() else { return nil }
        policy.framePushed(item.frame, now: now)
        pushed = (item.frame, now)
        if exitIsDiscontinuous {
            exitIsDiscontinuous = false
            item.isDiscontinuity = true
        }
        return item
    }

    @inlinable
    mutating func splitFirst(_ count: UInt32) -> Item? {
        guard line.look(at: 0, { $0.frame.count > count }) else { return nil }
        return line.update(at: 0) { $0.splitFirst(count) }
    }

    // MARK: Events and queries

    /// Takes the event or the query out that is first.
    public mutating func takeFirst() -> Item? {
        guard let item = line.popFirst() else { return nil }
        if let query = item.content.queryAddress { queryTurn = .asked(query) }
        if item.content.lifeEvent == .endOfStream { policy.ended() }
        if let end = item.frame.endsAt { policy.gapLeft(to: end) }
        return item
    }
}
