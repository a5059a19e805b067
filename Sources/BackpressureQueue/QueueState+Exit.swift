import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

extension QueueState {
    /// Next action of the exit, to execute without the mutex.
    enum Exit: ~Copyable {
        case pause(QueueStop, posts: Bool)
        case emitUnderrun
        case emitRunning
        case push(Item, TokenChain?)
        case send(Item)
        /// Frames were dropped: empty the trash, then continue.
        case clean(DropActions)
        /// A frame expired; `warns` is true until a warning was posted.
        case expired(HeldToken?, warns: Bool)
    }

    typealias Step = Monitor<QueueState>.Step<Exit>

    /// Records the result of the previous action and returns the next action.
    mutating func exit(after outcome: inout QueueOutcome, _ ledger: TokenLedger) -> Step {
        switch machine.next(after: &outcome, now: MonotonicClock.now) {
        case .pause(let stop, let posts):
            ledger.awaitRelease(false)
            if !stop.keepsItems { segment = Segment() }
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
        // Queued frames do not age in PAUSED.
        let now = machine.pausedAt ?? MonotonicClock.now
        while true {
            let oldest = counts ? ledger.oldestPushedAt.map { max($0, machine.resumedAt) } : nil
            switch machine.frameIsNext(inFlight: ledger.inFlight, oldestPushedAt: oldest, now: now) {
            case .push(let count):
                ledger.awaitRelease(false)
                return .done(takeFrames(count, counts ? ledger : nil, MonotonicClock.now))
            case .drop(let reason): return .done(.clean(machine.dropFirst(reason, now: now)))
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
        let bornAt = item.frame.ageOnEntry.map { item.frame.enteredAt - $0 }
        let tokens = ledger?.issue(
            Int(item.frame.count), enteredAt: item.frame.enteredAt, bornAt: bornAt, now: now, scope: scope)
        return .push(item, tokens)
    }

    private mutating func sendNext() -> Exit {
        guard let item = machine.takeFirst() else { return .clean(.init()) }
        return .send(item)
    }
}
