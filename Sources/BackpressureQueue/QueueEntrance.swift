import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads
import Tracing

// The sink pad: frames, events and serialized queries from upstream.

extension BackpressureQueue {
    /// Interval of LATENCY queries while no upstream element answers.
    private static let livenessQueryInterval = Duration.seconds(1)

    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult {
        let facts = buffer.facts
        return receive(.buffer(buffer), facts, on: pad)
    }

    func chain(_ list: consuming BufferList, on pad: borrowing Pad) -> FlowResult {
        let facts = list.facts
        // An empty list is neither queued nor counted.
        guard facts.count > 0 else { return monitor.change { $0.machine.life.stop }?.flow ?? .ok }
        return receive(.list(list), facts, on: pad)
    }

    private func receive(
        _ content: consuming QueuedData, _ facts: BufferFacts, on pad: borrowing Pad
    ) -> FlowResult {
        let now = MonotonicClock.now
        let runningTime = core.usesAges ? pad.runningTime : nil
        var content: QueuedData? = content
        var attempt = QueueAttempt()
        var due = QueueState.DueActions()
        var hasWaited = false
        var wait = OpenSpan.none
        defer {
            wait.end()
            perform(due)
        }
        while true {
            let (entry, drops) = monitor.await {
                state -> Monitor<QueueState>.Step<(QueueEntry, DropActions?)> in
                state.addDueActions(to: &due, hasWaited ? MonotonicClock.now : now)
                // The answer to the LATENCY query determines the rules for this frame, so the query comes first.
                if due.queriesLiveness { return .done((.waitForRoom, nil)) }
                core.usesAges = state.machine.policy.usesAges
                let entry = state.enter(
                    &content, facts, &attempt, runningTime: runningTime, inFlight: ledger.inFlight, now)
                switch entry {
                case .waitForRoom:
                    if !hasWaited {
                        wait = QueueMarks.wait.begin(
                            frame: .init(presentedAt: state.segment.runningTimes(of: facts).presented))
                    }
                    hasWaited = true
                    if due.blockedFor != nil { return .done((entry, nil)) }
                    return .wait(QueueState.Wake.room, until: state.machine.pushBlockedAt)
                case .enqueued(let wakesExit):
                    if wakesExit { monitor.mutex.wake(QueueState.Wake.exit) }
                    return .done((entry, state.machine.drops(of: attempt, now: now)))
                case .dropped: return .done((entry, state.machine.drops(of: attempt, now: now)))
                case .refused, .emitOverrun, .emitRunning: return .done((entry, nil))
                }
            }
            switch entry {
            case .enqueued, .dropped:
                if let drops { cleanUp(drops) }
                return .ok
            case .refused(let stop): return stop.flow
            case .emitOverrun: pad.emit(Self.overrun)
            case .emitRunning: pad.emit(Self.running)
            case .waitForRoom:
                perform(due)
                due = QueueState.DueActions()
            }
        }
    }

    /// Queries whether the source is live, and posts a warning about a push that has not returned.
    private func perform(_ due: QueueState.DueActions) {
        if due.queriesLiveness {
            let query = Query.latency()
            if sink.queryPeer(query), let isLive = query.latency?.isLive {
                sourceIsLive(isLive)
            } else {
                // Elements upstream that are still being linked may answer later, so the query is repeated.
                monitor.change { $0.livenessQueryAt = MonotonicClock.now + Self.livenessQueryInterval }
            }
            // If the queue was linked into a playing pipeline, it received no LATENCY event. A LATENCY message makes
            // the application distribute the latency again.
            if monitor.change({ $0.machine.policy.isLive && !$0.knowsLatency }) { host.postLatencyChanged() }
        }
        guard let blockedFor = due.blockedFor else { return }
        let drops = monitor.change { $0.machine.policy.leak != .none }
        search { [host, core] source in
            let found = source.searchBlocked()
            // A sink that waits for the clock is not the cause.
            guard found?.waitsForClock != true else { return }
            host.post(warning: core.warning(aboutPushTo: found, for: blockedFor, drops: drops))
        }
    }

    /// Runs `body`, which takes milliseconds and locks other elements, on a new thread; keeps this element alive.
    func search(_ body: @escaping @Sendable (borrowing Pad) -> Void) {
        let host = host
        let source = source.retained()
        _ = Worker.start("\(Self.factoryName)-search") { withExtendedLifetime(host.retained()) { body(source) } }
    }

    func sourceIsLive(_ isLive: Bool) {
        let hasChanged = monitor.change { state in
            guard state.machine.policy.isLive != isLive else { return false }
            state.machine.policy.isLive = isLive
            state.machine.policy.rulesChanged()
            monitor.mutex.wakeAll()
            return true
        }
        if hasChanged { Self.log.info(host, "the source is \(isLive ? "live" : "not live")") }
    }

    // MARK: Events

    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult {
        switch event.kind {
        case .flushStart: return receiveFlushStart(event)
        case .flushStop: return receiveFlushStop(event)
        default:
            guard event.isSerialized else { return source.push(event) ? .ok : .error }
            return enqueue(event)
        }
    }

    private func receiveFlushStart(_ event: consuming Event) -> FlowResult {
        let wasSent = source.push(event)
        monitor.change { state in
            state.machine.flushStarted()
            monitor.mutex.wake(QueueState.Wake.exit)
            monitor.mutex.wake(QueueState.Wake.room)
        }
        // The push in progress returns, because FLUSH_START has reached downstream.
        source.pauseTask()
        // If FLUSH_STOP or an activation on another thread ended the flush before the pause, restarts the task.
        startTask()
        // The sender of a query is woken last, because the sender may free the query then.
        monitor.change { _ in monitor.mutex.wake(QueueState.Wake.answer) }
        return wasSent ? .ok : .error
    }

    private func receiveFlushStop(_ event: consuming Event) -> FlowResult {
        let wasSent = source.push(event)
        monitor.change { state in
            state.flush(storesStickyEvents: true)
            state.forgetFrames(ledger)
            monitor.mutex.wakeAll()
        }
        emptyTrash()
        startTask { $0.machine.activated() }
        return wasSent ? .ok : .error
    }

    private func enqueue(_ event: consuming Event) -> FlowResult {
        let mayChangeLatency = event.kind == .caps
        let note = QueueState.EventContent(event)
        var pending: QueuedData? = .event(event)
        let canStart = source.isInPushMode
        let action = monitor.change { state in
            monitor.mutex.wake(QueueState.Wake.exit)
            return state.enter(&pending, note, canStart: canStart)
        }
        switch action {
        case .enqueue(let starts):
            if starts { startTask() }
            if mayChangeLatency { announceLatency() }
            return .ok
        case .refuse(let stop): return stop.flow
        case .refuseAndPost(let stop):
            host.post(flowError: stop.flow)
            return stop.flow
        }
    }

    // MARK: Queries

    func answerUpstream(_ query: borrowing Query) -> Bool {
        query.lend { loan in
            let isAsked = monitor.change { state in
                guard state.machine.queryArrived(.query(loan)) else { return false }
                monitor.mutex.wake(QueueState.Wake.exit)
                return true
            }
            guard isAsked else { return false }
            return monitor.await { state in
                guard let isYes = state.machine.answer(to: loan.identity) else {
                    return .wait(QueueState.Wake.answer, until: nil)
                }
                return .done(isYes)
            }
        }
    }
}
