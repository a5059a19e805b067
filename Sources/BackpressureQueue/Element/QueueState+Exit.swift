import GStreamer
import QueuePolicy

extension QueueState {
    /// What the exit is to do next, without the lock.
    enum Exit: ~Copyable {
        case pause(QueueStop, posts: Bool)
        case emitUnderrun
        case emitRunning
        case push(Item, TokenChain?)
        case send(Item)
        /// Frames were dropped; free them, and come again.
        case clean(QueueMachine<QueuedData>.Drops)
        /// A frame was given up; `warns` is the first time.
        case expired(HeldToken?, warns: Bool)
    }

    typealias Step = Monitor<QueueState>.Step<Exit>

    /// Takes note of how it went, and takes out what comes next.
    mutating func exit(after outcome: inout QueueOutcome, _ ledger: TokenLedger) -> Step {
        switch machine.next(after: &outcome, now: Monotonic.now) {
        case .pause(let stop, let posts):
            ledger.awaitRelease(false)
            if machine.life.pause?.line != .keep { segment = Segment() }
            return .done(.pause(stop, posts: posts))
        case .clean: return .done(.clean(.init()))
        case .emitUnderrun: return .done(.emitUnderrun)
        case .emitRunning: return .done(.emitRunning)
        case .wait: return .wait(Wake.exit, until: nil)
        case .frame: return frameStep(ledger)
        case .send: return .done(sendNext())
        }
    }

    private mutating func frameStep(_ ledger: TokenLedger) -> Step {
        let counts = machine.policy.limits.countsFrames
        collect(ledger)
        // In PAUSED time stands still for what waits.
        let now = machine.pausedAt ?? Monotonic.now
        while true {
            let oldest = counts ? ledger.oldestPushedAt.map { max($0, machine.resumedAt) } : nil
            switch machine.frameIsNext(inFlight: ledger.inFlight, oldestPushedAt: oldest, now: now) {
            case .push(let count):
                ledger.awaitRelease(false)
                return .done(takeFrames(count, counts ? ledger : nil, Monotonic.now))
            case .drop(let reason): return .done(.clean(machine.dropFirst(reason, now: now)))
            case .expireOldest:
                // None when it has come back just now, and then there is a credit.
                guard let token = ledger.expireOldest() else {
                    collect(ledger)
                    continue
                }
                machine.policy.frameExpired()
                return .done(.expired(token, warns: !hasWarnedOfHolder))
            case .waitForCredit(let deadline):
                ledger.awaitRelease(true)
                // One may have come back before the ledger knew that it is awaited.
                if machine.hasCredit(inFlight: ledger.inFlight) { continue }
                machine.awaitsCredit()
                return .wait(Wake.exit, until: deadline)
            }
        }
    }

    /// Takes `count` frames of the head out, with a token for each if `ledger` is to count them.
    private mutating func takeFrames(_ count: UInt32, _ ledger: TokenLedger?, _ now: UInt64) -> Exit {
        guard let item = machine.takeFrames(count, now: now) else { return .clean(.init()) }
        let bornAt = item.frame.ageOnEntry.map { Int64(clamping: item.frame.enteredAt) &- $0 }
        let tokens = ledger?.issue(
            Int(item.frame.count), enteredAt: item.frame.enteredAt, bornAt: bornAt, now: now, scope: scope)
        return .push(item, tokens)
    }

    private mutating func sendNext() -> Exit {
        guard let item = machine.takeFirst() else { return .clean(.init()) }
        return .send(item)
    }
}
