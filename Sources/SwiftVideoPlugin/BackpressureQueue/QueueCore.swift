import GStreamer
import StreamControl
import Synchronization

/// What a queue's threads share, and what its read-only properties show.
final class QueueCore: Sendable {
    let monitor: Monitor<QueueState>
    let ledger: TokenLedger
    private let thread = Mutex(ThreadPlan())

    /// What is asked for the thread of the source pad, and how it was before.
    private struct ThreadPlan {
        var priority = ThreadPriority.normal
        var processors: [Int]?
        var before: StreamingThread?
        var achieved = ThreadPriority.normal
        /// What is to be said about `cpu-affinity`, once.
        var warning: ElementError?
    }

    init() {
        monitor = Monitor(QueueState(), conditions: QueueState.Wake.count)
        ledger = TokenLedger(gate: monitor.gate, condition: QueueState.Wake.exit)
    }

    // MARK: What properties show

    var counts: FrameCounts { monitor.change { $0.policy.counts } }
    var level: LevelMeter { monitor.change { $0.policy.level } }
    var inFlight: UInt32 { UInt32(clamping: ledger.inFlight) }
    var creditLimit: UInt32 { monitor.change { $0.policy.creditLimit } ?? 0 }
    var achievedPriority: ThreadPriority { thread.withLock { $0.achieved } }

    /// All numbers as they were at one moment.
    var statistics: Structure {
        let now = Monotonic.now
        let (counts, level, times, oldest, inFlight, limit) = monitor.change { state in
            state.collect(ledger)
            return (
                state.policy.counts, state.policy.level, state.releaseTimes, ledger.oldestPushedAt, ledger.inFlight,
                state.policy.creditLimit
            )
        }
        var structure = Structure("application/x-backpressurequeue-stats")
        structure["in"] = .uint64(counts.entered)
        structure["out"] = .uint64(counts.out)
        structure["dropped"] = .uint64(counts.dropped)
        for reason in DropReason.allCases { structure["dropped-\(reason.name)"] = .uint64(counts.dropped(reason)) }
        structure["expired"] = .uint64(counts.expired)
        structure["queued"] = .uint(level.buffers)
        structure["in-flight"] = .uint(UInt32(clamping: inFlight))
        structure["max-in-flight-in-force"] = .uint(limit ?? 0)
        structure["max-in-flight-seen"] = .uint(counts.mostInFlight)
        structure["oldest-age"] = .uint64(oldest.map { now > $0 ? now - $0 : 0 } ?? 0)
        structure["released"] = .uint64(times.count)
        structure["release-time-p50"] = .uint64(times.percentile(0.5))
        structure["release-time-p95"] = .uint64(times.percentile(0.95))
        structure["release-time-p99"] = .uint64(times.percentile(0.99))
        return structure
    }

    // MARK: What the application is told

    func dropMessage(_ counts: FrameCounts, inFlight: Int) -> Structure {
        var structure = Structure("backpressurequeue-drops")
        structure["in"] = .uint64(counts.entered)
        structure["out"] = .uint64(counts.out)
        structure["dropped"] = .uint64(counts.dropped)
        for reason in DropReason.allCases { structure["dropped-\(reason.name)"] = .uint64(counts.dropped(reason)) }
        structure["in-flight"] = .uint(UInt32(clamping: inFlight))
        return structure
    }

    func warning(about holder: FrameHolder?, after timeout: UInt64) -> ElementError {
        let name = holder.map { "by \($0.element)" } ?? "downstream"
        let cause =
            switch holder?.cause {
            case .lastSample: "It keeps the last sample it has shown: set its enable-last-sample to false"
            case .queue: "Frames lie in its queue: make that smaller"
            case .encoder: "It looks ahead: set it to low latency"
            case .unknown, nil: "It keeps a reference to the frame"
            }
        return .stream(
            .failed, "A frame was not released for \(timeout / 1_000_000) ms; it seems to be held \(name).",
            debug: "\(cause), or raise max-in-flight. The frame is counted as expired; this is said once.")
    }

    // MARK: The thread

    /// Works out what the thread shall be; reads files.
    func planThread(_ settings: BackpressureQueue.Settings) {
        var warning: ElementError?
        let processors: [Int]? =
            switch settings.processors {
            case .any: nil
            case .listed(let numbers): existing(numbers, &warning)
            case .performance: ProcessorChoice.fastest(Processors.speeds())
            }
        thread.withLock {
            $0.priority = settings.priority
            $0.processors = processors
            $0.warning = warning
        }
    }

    /// Those of `listed` that the machine has; nil when it has none of them, so that the thread runs anywhere.
    private func existing(_ listed: [Int], _ warning: inout ElementError?) -> [Int]? {
        guard case .listed(let online) = ProcessorChoice(Processors.online()) else { return listed }
        let missing = ProcessorChoice.missing(listed, existing: online)
        guard !missing.isEmpty else { return listed }
        let left = listed.filter { !missing.contains($0) }
        warning = .settings(
            "cpu-affinity=\(ProcessorChoice.text(listed)) names processors that this machine does not have: "
                + "\(ProcessorChoice.text(missing)).",
            debug: "It has \(ProcessorChoice.text(online)). The thread runs on "
                + (left.isEmpty ? "any of them." : "\(ProcessorChoice.text(left)) only."))
        return left.isEmpty ? nil : left
    }

    func enterThread(_ host: ElementHost) {
        let warning = thread.withLock { plan in
            defer { plan.warning = nil }
            return plan.warning
        }
        if let warning { host.post(warning: warning) }
        let isRefused = thread.withLock { plan -> Bool in
            plan.achieved = .normal
            guard plan.priority != .normal || plan.processors != nil else { return false }
            plan.before = StreamingThread.remember()
            plan.achieved = StreamingThread.raise(to: plan.priority)
            let isKept = plan.processors.map { StreamingThread.keep(on: $0) } ?? true
            return !isKept || plan.achieved != plan.priority
        }
        if isRefused { BackpressureQueue.log.warning(host, "the system did not grant the thread all that was asked") }
    }

    func leaveThread() {
        thread.withLock { plan in
            plan.before?.restore()
            plan.before = nil
        }
    }
}

extension DropReason {
    var name: String {
        switch self {
        case .inFlight: "in-flight"
        case .full: "full"
        case .late: "late"
        case .waitingForKeyUnit: "wait-keyframe"
        case .flushed: "flushed"
        }
    }
}
