import Durations

// Arrival of frames, events and queries.

/// State of an arriving frame, kept across its attempts to enter.
public struct QueueAttempt: Sendable, Equatable {
    @usableFromInline var step = Step.arrived

    @usableFromInline
    enum Step: Sendable { case arrived, emittedOverrun, waited }

    /// Whether the frame may enter a full queue, because no further frame can be dropped.
    @usableFromInline var mayOverfill = false
    /// Number of frames dropped because this frame arrived, including the frame itself.
    @usableFromInline var droppedCount: UInt32 = 0

    public init() {}
}

/// Action for a frame at the entrance.
public enum QueueEntry: Sendable, Equatable {
    /// The frame is enqueued; `wakesExit` is false if the streaming thread still waits for credit.
    case enqueued(wakesExit: Bool)
    /// The frame is in the trash.
    case dropped
    /// The frame is refused for this reason.
    case refused(QueueStop)
    /// Emit `overrun` without the mutex, then try again.
    case emitOverrun
    /// Emit `running` without the mutex, then try again.
    case emitRunning
    /// Wait until there is room, then try again.
    case waitForRoom
}

extension QueueMachine where Content: ~Copyable {
    /// Enqueues or drops a frame; `content` is nil after `enqueued` and `dropped`.
    @inlinable
    public mutating func frameArrived(
        _ content: inout Content?, _ frame: QueuedFrame, _ attempt: inout QueueAttempt, inFlight: Int, now: Duration
    ) -> QueueEntry {
        if let refusal = life.refusal { return .refused(refusal) }
        while true {
            let oldest = policy.dropsByDelay && !attempt.mayOverfill ? oldestDroppable : nil
            switch policy.frameArrived(frame, oldest: oldest, inFlight: inFlight, now: now) {
            case .waitForRoom:
                if overruns(&attempt) { return .emitOverrun }
                attempt.step = .waited
                return .waitForRoom
            case .drop(let reason):
                if reason != .waitingForKeyUnit, overruns(&attempt) { return .emitOverrun }
                drop(&content, frame, reason, now)
                attempt.droppedCount &+= frame.count
                return .dropped
            case .makeRoom(let reason) where !attempt.mayOverfill:
                if overruns(&attempt) { return .emitOverrun }
                let before = policy.counts.dropped
                attempt.mayOverfill = !makeRoom(reason, now) { $0.hasTooMuch($1, arriving: frame.bytes, now: now) }
                attempt.droppedCount &+= UInt32(clamping: policy.counts.dropped - before)
            case .enqueue, .makeRoom:
                if attempt.step == .waited, !isSilent {
                    attempt.step = .arrived
                    return .emitRunning
                }
                enqueue(&content, frame)
                return .enqueued(wakesExit: !stillAwaitsCredit())
            }
        }
    }

    /// Messages and key unit request for the drops of `attempt`; nil if it dropped no frame.
    @inlinable
    public mutating func drops(of attempt: QueueAttempt, now: Duration) -> DropActions? {
        attempt.droppedCount > 0 ? dropped(attempt.droppedCount, now) : nil
    }

    /// Whether to emit `overrun`: once each time the queue becomes full.
    @inlinable
    func overruns(_ attempt: inout QueueAttempt) -> Bool {
        guard !isSilent, attempt.step == .arrived else { return false }
        attempt.step = .emittedOverrun
        return true
    }

    @inlinable
    mutating func enqueue(_ content: inout Content?, _ frame: QueuedFrame) {
        guard let taken = content.take() else { return }
        items.append(Item(taken, frame, isDiscontinuity: entranceIsDiscontinuous))
        entranceIsDiscontinuous = false
        policy.frameEnqueued(frame)
    }

    @inlinable
    mutating func drop(_ content: inout Content?, _ frame: QueuedFrame, _ reason: DropReason, _ now: Duration) {
        guard let dropped = content.take() else { return }
        policy.arrivalDropped(frame, reason, now: now)
        trash.append(Item(dropped, frame))
        if !frame.isDisposable { entranceIsDiscontinuous = true }
    }

    /// Whether the first item still waits for credit, so that the arrival of a frame changes nothing at the exit.
    ///
    /// The function is mutating, because a nonmutating call copies `policy`.
    @inlinable
    mutating func stillAwaitsCredit() -> Bool {
        guard case .awaitingCredit(let limit) = exitState, limit == policy.creditLimit, !items.isEmpty else {
            return false
        }
        return items.withElement(at: 0) { $0.isFrame }
    }

    // MARK: Events and queries

    /// Enqueues a serialized event and sets `event` to nil, or refuses it.
    ///
    /// `canStart` is true if the source pad is active. `gapEndsAt` is the running time at which a gap ends.
    public mutating func eventArrived(
        _ event: inout Content?, canStart: Bool, gapEndsAt: Duration? = nil
    ) -> QueueLife.EventAction {
        guard let content = event.take() else { return .refuse(.flushing) }
        let wasStopped = life.stop != nil
        let action = life.eventArrived(content.lifeEvent ?? .passing, canStart: canStart)
        guard case .enqueue(let starts) = action else {
            event = consume content
            return action
        }
        if starts, wasStopped { exitState = .working }
        var item = Item(content)
        item.frame.endsAt = gapEndsAt
        items.append(item)
        return action
    }

    /// Enqueues a serialized query; returns false if the queue is stopped.
    public mutating func queryArrived(_ query: consuming Content) -> Bool {
        guard life.stop == nil else { return false }
        items.append(Item(query))
        return true
    }

    /// Result of the query at `address`; nil while its sender must wait.
    public mutating func answer(to address: UInt) -> Bool? {
        let place = (0..<items.count).first { items.withElement(at: $0) { $0.content.queryAddress == address } }
        switch queryState.senderChecked(address, isQueued: place != nil, flows: life.stop == nil) {
        case .wait: return nil
        case .finish(let isYes): return isYes
        case .withdraw:
            if let place { _ = items.remove(at: place) }
            return false
        }
    }
}
