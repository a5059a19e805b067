import GStreamer
import StreamControl

extension QueueState {
    /// How the last thing taken out went.
    enum Outcome {
        case none
        case pushed(FlowResult)
        case sentEndOfStream
        case answered(Bool)
    }

    /// What the exit is to do next, without the lock.
    enum Exit: ~Copyable {
        /// Nothing: pause.
        case stop(FlowResult, posts: Bool)
        case emitUnderrun
        case emitRunning
        case push(QueueItem, TokenChain?)
        case send(QueueItem)
        /// Frames were dropped; free them, and come again.
        case clean(DropReport.Announcement, keyUnit: UInt32?)
        /// A frame was given up; `warns` is the first time.
        case expired(HeldToken?, warns: Bool)
    }

    typealias Step = Monitor<QueueState>.Step<Exit>

    /// Takes note of how it went, and takes out what comes next.
    mutating func exit(after outcome: inout Outcome, _ ledger: TokenLedger) -> Step {
        settle(&outcome)
        exitTurn.woke()
        if let stop = life.stop, let pause = life.pause { return pauses(stop, pause.line, posts: pause.posts, ledger) }
        if !trash.isEmpty { return .done(.clean(DropReport.Announcement(), keyUnit: nil)) }
        guard !ring.isEmpty else {
            if exitTurn.foundNothing(), !isSilent { return .done(.emitUnderrun) }
            return .wait(Wake.exit, until: nil)
        }
        if exitTurn.foundItem(), !isSilent { return .done(.emitRunning) }
        let head = ring.look(at: 0) { $0.frame }
        return head.count > 0 ? frameStep(head, ledger) : .done(sendNext())
    }

    private mutating func pauses(
        _ stop: QueueStop, _ line: QueueLife.LineAction, posts: Bool, _ ledger: TokenLedger
    ) -> Step {
        exitTurn = .working
        ledger.awaitRelease(false)
        switch line {
        case .keep: break
        case .empty: flush(keepsStickyEvents: true)
        case .emptyButForStickyEvents: flush(keepsStickyEvents: true, keepsThemQueued: true)
        }
        return .done(.stop(stop.flow, posts: posts))
    }

    /// Takes note of how it went, and leaves the rest to the next call.
    mutating func settle(_ outcome: inout Outcome) {
        defer { outcome = .none }
        switch outcome {
        case .none: return
        case .answered(let isYes):
            queryTurn.answered(isYes, flows: life.stop == nil)
        case .sentEndOfStream: life.endSent(isLast: !holdsEndOfStream)
        case .pushed(let result):
            if var pushed {
                // On the way to PLAYING a sink returns before this element gets there.
                if pausedAt != nil { pushed.frame.ageOnEntry = nil }
                policy.pushReturned(pushed.frame, pushedAt: pushed.since, now: Monotonic.now)
            }
            pushed = nil
            if life.pushReturned(QueueStop(result)) == .skipToNextStream { skipToNextStream() }
        }
    }

    /// Whether another stream ends behind the one whose EOS has just been sent.
    private var holdsEndOfStream: Bool {
        (0..<ring.count).contains { ring.look(at: $0) { $0.content.eventKind == .endOfStream } }
    }

    /// Downstream takes no more frames: only a new segment, a new stream or the end may follow.
    private mutating func skipToNextStream() {
        while !ring.isEmpty {
            let kind = ring.look(at: 0) { $0.content.eventKind }
            if kind == .endOfStream || kind == .segment || kind == .streamStart { return }
            guard let item = ring.popFirst() else { return }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: 0) }
            trash.append(item)
        }
        life.foundNoStream()
    }

    // MARK: Frames

    private mutating func frameStep(_ head: QueuedFrame, _ ledger: TokenLedger) -> Step {
        let limits = policy.limits
        let counts = limits.countsFrames
        collect(ledger)
        // In PAUSED time stands still for what waits.
        let now = pausedAt ?? Monotonic.now
        while true {
            switch policy.frameIsNext(
                head, inFlight: ledger.inFlight,
                oldestPushedAt: counts ? ledger.oldestPushedAt.map { max($0, resumedAt) } : nil,
                now: now)
            {
            case .push(let count):
                ledger.awaitRelease(false)
                return .done(takeFrames(count, counts ? ledger : nil, Monotonic.now))
            case .drop(let reason): return .done(drop(reason, now))
            case .expireOldest:
                // None when it has come back just now, and then there is a credit.
                guard let token = ledger.expireOldest() else {
                    collect(ledger)
                    continue
                }
                policy.frameExpired()
                return .done(.expired(token, warns: !hasWarnedOfHolder))
            case .waitForCredit(let deadline):
                ledger.awaitRelease(true)
                // One may have come back before the ledger knew that it is awaited.
                if let limit = policy.creditLimit, ledger.inFlight < max(Int(limit), 1), !policy.isPaused { continue }
                if let limit = policy.creditLimit { exitTurn = .awaitingCredit(limit: limit) }
                return .wait(Wake.exit, until: deadline)
            }
        }
    }

    private mutating func drop(_ reason: DropReason, _ now: UInt64) -> Exit {
        let before = policy.counts.dropped
        dropAndSpoil(at: 0, reason, now)
        let count = UInt32(clamping: policy.counts.dropped - before)
        return .clean(
            report.framesDropped(count, interval: dropLogInterval, now: now), keyUnit: keyUnitRequest(now))
    }

    /// Takes `count` frames of the head out, with a token for each if `ledger` is to count them.
    private mutating func takeFrames(_ count: UInt32, _ ledger: TokenLedger?, _ now: UInt64) -> Exit {
        guard var item = splitHead(count) ?? ring.popFirst() else {
            return .clean(DropReport.Announcement(), keyUnit: nil)
        }
        policy.framePushed(item.frame)
        pushed = (item.frame, now)
        if exitIsDiscontinuous {
            exitIsDiscontinuous = false
            item.isDiscontinuity = true
        }
        let bornAt = item.frame.ageOnEntry.map { Int64(clamping: item.frame.enteredAt) &- $0 }
        let tokens = ledger?.issue(
            Int(item.frame.count), enteredAt: item.frame.enteredAt, bornAt: bornAt, now: now, scope: scope)
        return .push(item, tokens)
    }

    /// The first `count` frames of a list at the head; nil when that is all, or no list.
    private mutating func splitHead(_ count: UInt32) -> QueueItem? {
        guard ring.look(at: 0, { $0.frame.count > count }) else { return nil }
        return ring.update(at: 0) { item -> QueueItem? in
            var first: QueueItem?
            item.changeList { list, frame in
                guard let some = list.splitFirst(Int(count)) else { return }
                let facts = some.facts
                var part = frame.keeping(facts)
                // The whole list's time leaves with its last part.
                part.endsAt = nil
                first = QueueItem(.list(some), part)
                frame = frame.keeping(list.facts)
            }
            first?.isDiscontinuity = item.isDiscontinuity
            if first != nil { item.isDiscontinuity = false }
            return first
        }
    }

    // MARK: Events and queries

    private mutating func sendNext() -> Exit {
        guard let item = ring.popFirst() else { return .clean(DropReport.Announcement(), keyUnit: nil) }
        if let query = item.content.query { queryTurn = .asked(query.identity) }
        if item.content.eventKind == .endOfStream { policy.ended() }
        if let end = item.content.gapEnd { policy.gapLeft(to: segment.runningTime(of: end)) }
        return .send(item)
    }
}
