// Frames, events and queries come in.

/// What a queue remembers of a frame that tries to come in, over all its tries.
public struct QueueAttempt: Sendable, Equatable {
    @usableFromInline var hasSaidOverrun = false
    @usableFromInline var hasWaited = false
    /// Nothing more can be dropped to make room.
    @usableFromInline var mayOverfill = false
    /// How many frames were dropped for this one.
    @usableFromInline var droppedCount: UInt32 = 0

    public init() {}
}

/// What to do with a frame that came.
public enum QueueEntry: Sendable, Equatable {
    /// It is in the line; `wakesExit` unless the thread there can do nothing with it yet.
    case enqueued(wakesExit: Bool)
    /// It is in the trash.
    case dropped
    case refused(QueueStop)
    /// Emit the signal without the lock, and try again.
    case emitOverrun
    case emitRunning
    /// Try again when there is room.
    case waitForRoom
}

extension QueueMachine where Content: ~Copyable {
    /// Tries to take a frame in, or drops it.
    ///
    /// `item` is nil when this returns `enqueued` or `dropped`.
    @inlinable
    public mutating func frameArrived(
        _ item: inout Item?, _ frame: QueuedFrame, _ attempt: inout QueueAttempt, inFlight: Int, now: UInt64
    ) -> QueueEntry {
        if let refusal = life.refusal { return .refused(refusal) }
        while true {
            let oldest = attempt.mayOverfill ? nil : oldestDroppable
            switch policy.frameArrived(frame, oldest: oldest, inFlight: inFlight, now: now) {
            case .waitForRoom:
                if overruns(&attempt) { return .emitOverrun }
                attempt.hasWaited = true
                attempt.hasSaidOverrun = false
                return .waitForRoom
            case .drop(let reason):
                if reason != .waitingForKeyUnit, overruns(&attempt) { return .emitOverrun }
                drop(&item, frame, reason, now)
                attempt.droppedCount &+= frame.count
                return .dropped
            case .makeRoom(let reason) where !attempt.mayOverfill:
                if overruns(&attempt) { return .emitOverrun }
                let before = policy.counts.dropped
                attempt.mayOverfill = !makeRoom(reason, now) { $0.hasTooMuch($1, arriving: frame.bytes, now: now) }
                attempt.droppedCount &+= UInt32(clamping: policy.counts.dropped - before)
            case .enqueue, .makeRoom:
                if attempt.hasWaited, !isSilent {
                    attempt.hasWaited = false
                    return .emitRunning
                }
                enqueue(&item, frame)
                return .enqueued(wakesExit: !stillAwaitsCredit)
            }
        }
    }

    /// What to do about the frames that were dropped for this one; nil when none was.
    @inlinable
    public mutating func drops(of attempt: QueueAttempt, now: UInt64) -> Drops? {
        attempt.droppedCount > 0 ? dropped(attempt.droppedCount, now) : nil
    }

    /// Whether `overrun` must be emitted: once for each time that the queue is full.
    @inlinable
    func overruns(_ attempt: inout QueueAttempt) -> Bool {
        guard !isSilent, !attempt.hasSaidOverrun, !attempt.hasWaited else { return false }
        attempt.hasSaidOverrun = true
        return true
    }

    @inlinable
    mutating func enqueue(_ item: inout Item?, _ frame: QueuedFrame) {
        guard var taken = item.take() else { return }
        taken.frame = frame
        taken.isDiscontinuity = entranceIsDiscontinuous
        entranceIsDiscontinuous = false
        policy.frameEnqueued(frame)
        line.append(taken)
    }

    @inlinable
    mutating func drop(_ item: inout Item?, _ frame: QueuedFrame, _ reason: DropReason, _ now: UInt64) {
        guard var dropped = item.take() else { return }
        dropped.frame = frame
        policy.arrivalDropped(frame, reason, now: now)
        trash.append(dropped)
        if !frame.isDisposable { entranceIsDiscontinuous = true }
    }

    /// Whether a frame that came in changes nothing for the exit: what is first still waits for a credit.
    @inlinable var stillAwaitsCredit: Bool {
        guard case .awaitingCredit(let limit) = exitTurn, limit == policy.creditLimit, !line.isEmpty else {
            return false
        }
        return line.look(at: 0) { $0.isFrame }
    }

    // MARK: Events and queries

    /// Takes a serialized event in, so that `event` becomes nil, or refuses it.
    ///
    /// `canStart`: the source pad is active. `gapEndsAt`: the running time at which a gap ends; nil for other events.
    public mutating func eventArrived(
        _ event: inout Content?, canStart: Bool, gapEndsAt: Int64? = nil
    ) -> QueueLife.EventAction {
        guard let content = event.take() else { return .refuse(.flushing) }
        let wasStopped = life.stop != nil
        let action = life.eventArrived(content.lifeEvent ?? .passing, canStart: canStart)
        guard case .enqueue(let starts) = action else {
            event = consume content
            return action
        }
        if starts, wasStopped { exitTurn = .working }
        var item = Item(content)
        item.frame.endsAt = gapEndsAt
        line.append(item)
        return action
    }

    /// Takes a serialized query in; false if it cannot be asked.
    public mutating func queryArrived(_ query: consuming Content) -> Bool {
        guard life.stop == nil else { return false }
        line.append(Item(query))
        return true
    }

    /// The answer to the query at `address`, or nil while its sender must wait for it.
    public mutating func answer(to address: UInt) -> Bool? {
        let place = (0..<line.count).first { line.look(at: $0) { $0.content.queryAddress == address } }
        switch queryTurn.looked(for: address, isQueued: place != nil, flows: life.stop == nil) {
        case .wait: return nil
        case .finish(let isYes): return isYes
        case .withdraw:
            if let place { _ = line.remove(at: place) }
            return false
        }
    }
}
