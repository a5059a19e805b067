import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

// The source pad: its streaming thread, and events and queries from downstream.

extension BackpressureQueue {
    /// Number of actions per call of the task, which can be stopped between calls.
    private static let batch = 32

    func loop(on pad: borrowing Pad) {
        var outcome = QueueOutcome.none
        for _ in 0..<Self.batch {
            let exit = monitor.await { state -> QueueState.Step in
                let step = state.exit(after: &outcome, ledger)
                monitor.mutex.wake(QueueState.Wake.room)
                monitor.mutex.wake(QueueState.Wake.answer)
                return step
            }
            switch consume exit {
            case .push(let content, let isDiscontinuity, let presentedAt, let tokens):
                let span = QueueMarks.push.begin(frame: .init(presentedAt: presentedAt))
                outcome = .pushed(QueueStop(push(content, isDiscontinuity, tokens)))
                span.end()
            case .send(let content): outcome = send(content)
            case .emitUnderrun: pad.emit(Self.underrun)
            case .emitRunning:
                pad.emit(Self.running)
                pad.emit(Self.pushing)
            case .clean(let drops): cleanUp(drops)
            case .expired(let token, let warns): frameExpired(token, warns: warns)
            case .pause(let stop, let posts): return pauseTask(stop, posts: posts)
            }
        }
        if case .none = outcome { return }
        // Records the outcome now, so that the level and the state are correct between two calls of the task.
        monitor.change { state in
            state.machine.settle(&outcome, now: MonotonicClock.now)
            monitor.mutex.wake(QueueState.Wake.answer)
        }
    }

    private func push(
        _ content: consuming QueuedData, _ isDiscontinuity: Bool, _ tokens: consuming TokenChain?
    ) -> FlowResult {
        switch consume content {
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

    private func send(_ content: consuming QueuedData) -> QueueOutcome {
        switch consume content {
        case .event(let event):
            let isEnd = event.kind == .endOfStream
            source.push(event)
            return isEnd ? .sentEndOfStream : .none
        case .query(let loan): return .answered(loan.use { answer($0) } ?? false)
        default: return .none
        }
    }

    private func answer(_ query: borrowing Query) -> Bool {
        guard source.queryPeer(query) else { return false }
        // The pool must be large enough for the frames in this queue and downstream.
        if query.kind == .allocation {
            let size = query.rawFrameSize
            let (count, coversAll) = monitor.change { state in
                let policy = state.machine.policy
                return (policy.buffersToRequest(frameSize: size), policy.requestCoversAllFrames(frameSize: size))
            }
            query.addToMinimumBuffers(count, addsEntry: coversAll)
        }
        return true
    }

    private func pauseTask(_ stop: QueueStop, posts: Bool) {
        emptyTrash()
        lifecycle.withLock { _ in
            // If another thread has restarted the queue meanwhile, the task must not pause.
            if monitor.change({ $0.machine.life.stop != nil }) { source.pauseTask() }
        }
        guard posts else { return }
        // Upstream pushes nothing more, so no push can return the error.
        host.post(flowError: stop.flow)
        if let end = Event.endOfStream() { source.push(end) }
    }

    /// Posts one warning about frames that are not released.
    ///
    /// If the holder of the first expired frame is unknown, later frames are traced until the next expiry.
    private func frameExpired(_ token: consuming HeldToken?, warns: Bool) {
        guard warns, let token else { return }
        let isLastTry = trace.isRunning
        let patience = monitor.change { $0.machine.policy.expiryTime ?? .zero }
        search { [host, core, trace] source in
            let holder = source.searchHolder(of: token)
            guard holder != nil || isLastTry else { return trace.begin(behind: source) }
            trace.end()
            guard core.monitor.change({ $0.mayWarnOfHolder() }) else { return }
            host.post(warning: core.warning(about: holder, after: patience))
        }
    }

    // MARK: Events and queries from downstream

    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool {
        switch event.kind {
        case .reconfigure:
            if monitor.change({ $0.machine.life.stop == .notLinked }) { startTask { $0.machine.reconfigured() } }
        case .latency:
            if let latency = event.latency {
                let sinks = source.sinkTiming
                monitor.change { state in
                    state.machine.policy.latencyEventArrived(latency, sinks)
                    state.knowsLatency = true
                    monitor.mutex.wake(QueueState.Wake.exit)
                }
            }
        default: break
        }
        return sink.push(event)
    }

    func answerDownstream(_ query: borrowing Query) -> Bool {
        switch query.kind {
        case .scheduling: query.offerPushScheduling()
        case .position:
            let level = monitor.change { $0.machine.policy.level }
            if let time = query.position?.time {
                query.position?.time = max(.zero, time - level.time)
            } else if query.position?.format == .bytes, let value = query.position?.value {
                query.position?.value = max(0, value &- Int64(clamping: level.bytes))
            }
        case .latency:
            guard let (isLive, minimum, maximum) = query.latency else { break }
            sourceIsLive(isLive)
            let own = monitor.change { state in
                state.machine.policy.latencyAnswered(minimum)
                return state.latencyForAnswer()
            }
            query.latency?.maximum = Self.combine(maximum, own.longestWait, leaks: own.leaks)
        default: break
        }
        return true
    }

    /// Posts a LATENCY message if the latency of this queue differs from that in its last answer to a query.
    func announceLatency() {
        if monitor.change({ $0.latencyHasChanged() }) { host.postLatencyChanged() }
    }

    /// Maximum latency of upstream and this queue; nil if it is unlimited.
    ///
    /// If the queue blocks, the result is the sum of both values. If the queue leaks, the result is the smaller value.
    private static func combine(_ upstream: Duration?, _ own: Duration?, leaks: Bool) -> Duration? {
        guard leaks else {
            guard let upstream, let own else { return nil }
            return upstream + own
        }
        guard let upstream, let own else { return upstream ?? own }
        return min(upstream, own)
    }
}
