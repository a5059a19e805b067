import GStreamer
import StreamControl

// The sink pad: frames, events and serialized queries from upstream.

extension BackpressureQueue {
    /// What came of an attempt to enqueue.
    private enum Arrival {
        case enqueued
        case refused(FlowResult)
        case dropped(DropReport.Announcement, keyUnit: UInt32?)
        /// Emit the signal, and try again.
        case emitOverrun
        case emitRunning
    }

    func receive(_ buffer: consuming Buffer) -> FlowResult {
        let facts = buffer.facts
        return receive(.buffer(buffer), facts)
    }

    func receive(_ list: consuming BufferList) -> FlowResult {
        let facts = list.facts
        // An empty list is nothing to queue, and nothing to count.
        guard facts.count > 0 else { return monitor.change { $0.life.stop }?.flow ?? .ok }
        return receive(.list(list), facts)
    }

    private func receive(_ content: consuming QueueItem.Content, _ facts: BufferFacts) -> FlowResult {
        let now = Monotonic.now
        var item: QueueItem? = QueueItem(content)
        var attempt = QueueState.Attempt(facts, runningTime: host.runningTime)
        var attention = QueueState.Attention()
        defer { look(attention) }
        while true {
            let arrival = monitor.await { state -> Monitor<QueueState>.Step<Arrival> in
                attention.add(state.attention(now))
                switch state.enter(&item, &attempt, inFlight: ledger.inFlight, now) {
                case .enqueued:
                    if !state.stillAwaitsCredit { monitor.gate.wake(QueueState.Wake.exit) }
                    return .done(.enqueued)
                case .refused(let stop): return .done(.refused(stop.flow))
                case .dropped(let count):
                    let announcement = state.report.framesDropped(count, interval: state.dropLogInterval, now: now)
                    return .done(.dropped(announcement, keyUnit: state.keyUnitRequest(now)))
                case .emitOverrun: return .done(.emitOverrun)
                case .emitRunning: return .done(.emitRunning)
                case .waitForRoom: return .wait(QueueState.Wake.room, until: nil)
                }
            }
            switch arrival {
            case .enqueued where attempt.droppedCount == 0: return .ok
            case .enqueued:
                emptyTrash()
                let (announcement, keyUnit) = monitor.change { state in
                    (
                        state.report.framesDropped(attempt.droppedCount, interval: state.dropLogInterval, now: now),
                        state.keyUnitRequest(now)
                    )
                }
                announce(announcement)
                if let keyUnit { requestKeyUnit(keyUnit) }
                return .ok
            case .refused(let flow): return flow
            case .dropped(let announcement, let keyUnit):
                emptyTrash()
                announce(announcement)
                if let keyUnit { requestKeyUnit(keyUnit) }
                return .ok
            case .emitOverrun: host.emit(Self.overrun)
            case .emitRunning: host.emit(Self.running)
            }
        }
    }

    /// Asks whether the source is live, and posts a warning when downstream does not return from a push.
    private func look(_ attention: QueueState.Attention) {
        if attention.asksSource {
            if let isLive = sink.askWhetherLive() { sourceIsLive(isLive) }
            // Linked into a pipeline that plays: its sinks have been told the latency before.
            if monitor.change({ $0.policy.isLive && !$0.knowsLatency }) { host.postLatencyChanged() }
        }
        guard let blockedFor = attention.blockedFor else { return }
        // Neither the source nor the blocked thread may wait for the search.
        let (weak, source, core) = (WeakHost(host), source, core)
        let drops = monitor.change { $0.policy.leak != .none }
        _ = Background.start("\(Self.factoryName)-search") {
            weak.lend { host in
                let found = source.searchBlocked()
                // A sink that waits for the clock does what it is there for.
                guard found?.waitsForClock != true else { return }
                host.post(warning: core.warning(aboutPushTo: found, for: blockedFor, drops: drops))
            }
        }
    }

    /// Takes note of a LATENCY answer.
    func sourceIsLive(_ isLive: Bool) {
        let hasChanged = monitor.change { state in
            guard state.policy.isLive != isLive else { return false }
            state.policy.isLive = isLive
            state.policy.rulesChanged()
            monitor.gate.wakeAll()
            return true
        }
        if hasChanged { Self.log.info(host, "the source is \(isLive ? "live" : "not live")") }
    }

    // MARK: Events

    func receive(_ event: consuming Event) -> FlowResult {
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
            state.life.flushStarted()
            monitor.gate.wake(QueueState.Wake.exit)
            monitor.gate.wake(QueueState.Wake.room)
        }
        // Downstream lets go of the thread, since it flushes as well.
        source.pauseTask()
        // Somebody else may have made it flow again just before the pause.
        startTask()
        // Only now: who asked may free the query as soon as it hears.
        monitor.change { _ in monitor.gate.wake(QueueState.Wake.answer) }
        return wasSent ? .ok : .error
    }

    private func receiveFlushStop(_ event: consuming Event) -> FlowResult {
        let wasSent = source.push(event)
        monitor.change { state in
            state.flush(keepsStickyEvents: true)
            state.forgetFrames(ledger)
            monitor.gate.wakeAll()
        }
        emptyTrash()
        startTask { $0.accept() }
        return wasSent ? .ok : .error
    }

    private func enqueue(_ event: consuming Event) -> FlowResult {
        let mayChangeLatency = event.kind == .caps
        var pending: Event? = event
        let canStart = source.isInPushMode
        let verdict = monitor.change { state in
            monitor.gate.wake(QueueState.Wake.exit)
            return state.admit(&pending, canStart: canStart)
        }
        switch verdict {
        case .enqueued(let starts):
            if starts { startTask() }
            if mayChangeLatency { announceLatency() }
            return .ok
        case .refused(let stop, let posts):
            if posts { host.post(flowError: stop.flow) }
            return stop.flow
        }
    }

    // MARK: Queries

    func answerUpstream(_ query: Query) -> Bool {
        let isAsked = monitor.change { state in
            guard state.life.stop == nil else { return false }
            state.ring.append(QueueItem(.query(query)))
            monitor.gate.wake(QueueState.Wake.exit)
            return true
        }
        guard isAsked else { return false }
        return monitor.await { state in
            guard let isYes = state.answer(to: query.identity) else {
                return .wait(QueueState.Wake.answer, until: nil)
            }
            return .done(isYes)
        }
    }
}
