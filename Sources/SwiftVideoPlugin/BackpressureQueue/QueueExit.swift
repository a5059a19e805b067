import GStreamer
import StreamControl

// The source pad: its thread, and what comes from downstream.

extension BackpressureQueue {
    /// How much is done in one call of the task; between calls others may stop it.
    private static let batch = 32

    func runTask() {
        var outcome = QueueState.Outcome.none
        for _ in 0..<Self.batch {
            let exit = monitor.await { state -> QueueState.Step in
                let step = state.exit(after: &outcome, ledger)
                monitor.gate.wake(QueueState.Wake.room)
                monitor.gate.wake(QueueState.Wake.answer)
                return step
            }
            switch consume exit {
            case .push(let item, let tokens): outcome = .pushed(push(item, tokens))
            case .send(let item): outcome = send(item)
            case .emitUnderrun: host.emit(Self.underrun)
            case .emitRunning:
                host.emit(Self.running)
                host.emit(Self.pushing)
            case .clean(let announcement, let keyUnit):
                emptyTrash()
                announce(announcement)
                if let keyUnit { requestKeyUnit(keyUnit) }
            case .expired(let token, let warns): frameExpired(token, warns: warns)
            case .stop(let flow, let posts): return stopTask(flow, posts: posts)
            }
        }
        if case .none = outcome { return }
        // So that the level and the flow are right before the next call.
        monitor.change { state in
            state.settle(&outcome)
            monitor.gate.wake(QueueState.Wake.answer)
        }
    }

    private func push(_ item: consuming QueueItem, _ tokens: consuming TokenChain?) -> FlowResult {
        let isDiscontinuity = item.isDiscontinuity
        switch consume item.content {
        case .buffer(var buffer):
            if isDiscontinuity { buffer.markDiscontinuity() }
            if let token = tokens?.next() { buffer.attach(token) }
            return source.push(buffer)
        case .list(var list):
            if isDiscontinuity { list.markDiscontinuity() }
            if var tokens { list.attach(&tokens) }
            return source.push(list)
        default: return .ok
        }
    }

    private func send(_ item: consuming QueueItem) -> QueueState.Outcome {
        switch consume item.content {
        case .event(let event):
            let isEnd = event.kind == .endOfStream
            source.push(event)
            return isEnd ? .sentEndOfStream : .none
        case .query(let query):
            let isYes = source.askPeer(query)
            // Who allocates must have enough for what is held here and behind.
            if isYes, query.kind == .allocation { query.askForMoreBuffers(monitor.change { $0.policy.mostAskedFor }) }
            return .answered(isYes)
        default: return .none
        }
    }

    private func stopTask(_ flow: FlowResult, posts: Bool) {
        emptyTrash()
        lifecycle.withLock { _ in
            // Somebody may have made it flow again meanwhile.
            if monitor.change({ $0.life.stop != nil }) { source.pauseTask() }
        }
        guard posts else { return }
        // Upstream pushes nothing more and would never hear of it.
        host.post(flowError: flow)
        if let end = Event.endOfStream() { source.push(end) }
    }

    private func frameExpired(_ token: consuming HeldToken?, warns: Bool) {
        let timeout = monitor.change { $0.policy.limits.inFlightTimeout }
        // From now on it is known which element a frame has entered last.
        trace.begin(behind: source)
        guard warns, let token else { return }
        let holder = source.searchHolder(of: token)
        host.post(warning: core.warning(about: holder, after: timeout))
    }

    // MARK: From downstream

    func receiveFromDownstream(_ event: consuming Event) -> Bool {
        switch event.kind {
        case .reconfigure:
            if monitor.change({ $0.life.stop == .notLinked }) { startTask { $0.life.reconfigured() } }
        case .latency:
            if let latency = event.latency {
                let keepTime = source.sinksBehindKeepTime
                monitor.change { state in
                    state.policy.latencyTold(latency, sinksKeepTime: keepTime)
                    monitor.gate.wake(QueueState.Wake.exit)
                }
            }
        default: break
        }
        return sink.push(event)
    }

    func answerDownstream(_ query: Query) -> Bool {
        switch query.kind {
        case .scheduling: query.offerPushScheduling()
        case .position:
            let level = monitor.change { $0.policy.level }
            query.subtractFromPosition(nanoseconds: level.time, bytes: level.bytes)
        case .latency:
            sourceIsLive(query.latency.isLive)
            let own = monitor.change { $0.latencyForAnswer() }
            query.latency.maximum = Self.combine(query.latency.maximum, own.longestWait, leaks: own.leaks)
        default: break
        }
        return true
    }

    /// Has the pipeline ask again if what this queue adds to its latency is no longer what it was told.
    func announceLatency() {
        if monitor.change({ $0.latencyHasChanged() }) { host.postLatencyChanged() }
    }

    /// What blocks adds to what upstream can hold; what leaks holds no more than itself.
    private static func combine(_ upstream: UInt64?, _ own: UInt64?, leaks: Bool) -> UInt64? {
        guard leaks else {
            guard let upstream, let own else { return nil }
            return upstream.addingReportingOverflow(own).overflow ? nil : upstream + own
        }
        guard let upstream, let own else { return upstream ?? own }
        return min(upstream, own)
    }
}
