import Durations

// Drops of queued frames.

extension QueueMachine where Content: ~Copyable {
    @inlinable var oldestDroppable: QueuedFrame? {
        for index in 0..<items.count {
            let frame = items.withElement(at: index) { $0.frame }
            if frame.count > 0, frame.isDroppable { return frame }
        }
        return nil
    }

    /// The application changed the limits; drops the oldest frames while the level exceeds a size that was lowered.
    public mutating func limitsChanged(to limits: BackpressureLimits, now: Duration) {
        let (before, sizesBefore) = (policy.limits, policy.droppingSizes)
        policy.limits = limits
        guard !limits.hasSameSizes(as: before) else { return }
        policy.rulesChanged()
        makeRoom(.full, now) { policy, _ in policy.exceedsSizes(loweredFrom: sizesBefore) }
    }

    /// Drops the oldest droppable frames while `isTooMuch` returns true; returns false if no frame was dropped.
    @inlinable
    @discardableResult
    mutating func makeRoom(
        _ reason: DropReason, _ now: Duration, while isTooMuch: (inout BackpressurePolicy, QueuedFrame) -> Bool
    ) -> Bool {
        var index = 0
        var hasDropped = false
        while index < items.count {
            let frame = items.withElement(at: index) { $0.frame }
            guard frame.count > 0, frame.isDroppable else {
                index += 1
                continue
            }
            guard isTooMuch(&policy, frame) else { break }
            dropWithDependents(at: index, reason, now)
            hasDropped = true
        }
        return hasDropped
    }

    /// Drops the item at `index` and the following frames that cannot be decoded without it.
    @inlinable
    mutating func dropWithDependents(at index: Int, _ reason: DropReason, _ now: Duration) {
        let (isDelta, isDisposable) = items.withElement(at: index) { ($0.frame.isDelta, $0.frame.isDisposable) }
        var place = drop(at: index, reason, now) ? index : index + 1
        // No frame refers to a disposable frame, so all following frames can be decoded.
        guard !isDisposable else { return }
        exitIsDiscontinuous = true
        while place < items.count {
            let frame = items.withElement(at: place) { $0.frame }
            if frame.count == 0 || !frame.isDroppable {
                place += 1
            } else if policy.isUndecodable(frame) {
                if !drop(at: place, .waitingForKeyUnit, now) { place += 1 }
            } else {
                return
            }
        }
        policy.droppedUpToEntrance(droppedDelta: isDelta)
    }

    /// Moves the frames at `index` to the trash; returns false if the item holds headers, which stay queued.
    @inlinable
    mutating func drop(at index: Int, _ reason: DropReason, _ now: Duration) -> Bool {
        let headers = items.withElement(at: index) { $0.frame.headerCount }
        if headers > 0, let unwanted = items.update(at: index, { $0.split(.unwanted) }) {
            policy.queuedDropped(unwanted.frame, reason, now: now)
            trash.append(unwanted)
            return false
        }
        let item = items.remove(at: index)
        policy.queuedDropped(item.frame, reason, now: now)
        trash.append(item)
        return true
    }
}
