import CSystem
import Durations
import FrameTracking
import GStreamer
import Glibc
import MachineSensors
import QueuePolicy
import struct Synchronization.Atomic
import Threads

/// State shared by the threads of a queue, and the values of its read-only properties.
final class QueueCore: Sendable {
    let monitor: Monitor<QueueState>
    let ledger: TokenLedger
    private let thread = Mutex(ThreadPlan())
    private let atomicUsesAges = Atomic(true)

    /// Whether the age of the next frame is measured; reading the clock of the pipeline takes about 700 instructions.
    var usesAges: Bool {
        get { atomicUsesAges.load(ordering: .relaxed) }
        set { atomicUsesAges.store(newValue, ordering: .relaxed) }
    }

    /// Requested scheduling of the streaming thread of the source pad, and the scheduling to restore.
    private struct ThreadPlan {
        var priority = ThreadPriority.normal
        var processors: [Int]?
        var before: StreamingThread?
        var achieved = ThreadPriority.normal
        /// Warning about `cpu-affinity`, posted once.
        var warning: ElementError?
    }

    init() {
        monitor = Monitor(QueueState(), conditions: QueueState.Wake.count)
        ledger = TokenLedger(mutex: monitor.mutex, condition: QueueState.Wake.exit)
    }

    // MARK: Property values

    var counts: FrameCounts { monitor.change { $0.machine.policy.counts } }
    var level: LevelMeter { monitor.change { $0.machine.policy.level } }
    var inFlight: UInt32 { UInt32(clamping: ledger.inFlight) }
    var creditLimit: UInt32 { monitor.change { $0.machine.policy.creditLimit } ?? 0 }
    var achievedPriority: ThreadPriority { thread.withLock { $0.achieved } }

    var statistics: Structure {
        let now = MonotonicClock.now
        let (policy, times, oldest, inFlight) = monitor.change { state in
            state.collect(ledger)
            return (state.machine.policy, state.releaseTimes, ledger.oldestPushedAt, ledger.inFlight)
        }
        let counts = policy.counts
        var structure = Structure("application/x-backpressurequeue-stats")
        structure["in"] = .uint64(counts.entered)
        structure["out"] = .uint64(counts.out)
        structure["dropped"] = .uint64(counts.dropped)
        for reason in DropReason.allCases { structure["dropped-\(reason.name)"] = .uint64(counts.dropped(reason)) }
        structure["expired"] = .uint64(counts.expired)
        structure["queued"] = .uint(policy.level.buffers)
        structure["in-flight"] = .uint(UInt32(clamping: inFlight))
        structure["max-in-flight-in-force"] = .uint(policy.creditLimit ?? 0)
        structure["max-in-flight-seen"] = .uint(counts.mostInFlight)
        structure["live"] = .bool(policy.isLive)
        structure["kind"] = .string(policy.stream.kind.name)
        structure["overloaded"] = .bool(policy.overload.isOverloaded)
        structure["deadline"] = .duration(policy.stream.deadline ?? .zero)
        structure["oldest-age"] = .duration(oldest.map { now - $0 } ?? .zero)
        structure["released"] = .uint64(times.count)
        structure["release-time-p50"] = .duration(times.quantile(0.5) ?? times.longest)
        structure["release-time-p95"] = .duration(times.quantile(0.95) ?? times.longest)
        structure["release-time-p99"] = .duration(times.quantile(0.99) ?? times.longest)
        return structure
    }

    // MARK: Messages

    func dropMessage(_ counts: FrameCounts, inFlight: Int) -> Structure {
        var structure = Structure("backpressurequeue-drops")
        structure["in"] = .uint64(counts.entered)
        structure["out"] = .uint64(counts.out)
        structure["dropped"] = .uint64(counts.dropped)
        for reason in DropReason.allCases { structure["dropped-\(reason.name)"] = .uint64(counts.dropped(reason)) }
        structure["in-flight"] = .uint(UInt32(clamping: inFlight))
        return structure
    }

    func warning(about holder: FrameHolder?, after patience: Duration) -> ElementError {
        let time = "\(Int64(nanosecondsOf: patience) / 1_000_000) ms"
        let advice =
            "Frames that are not released are counted as expired, and the stream continues. This warning is posted once."
        guard let holder else {
            return .stream(
                .failed, "A frame was not released for \(time); the element that holds it is not known.",
                debug: "\(advice) If downstream needs this frame, raise max-in-flight or in-flight-timeout.")
        }
        let (text, debug) =
            switch holder.cause {
            case .lastSample:
                (
                    "\(holder.element) has kept a frame as its last sample for \(time).",
                    "Set its enable-last-sample to false, or raise max-in-flight by 1."
                )
            case .insidePush:
                (
                    "A frame was not released for \(time): a thread is blocked inside \(holder.element).",
                    "That element, or the device or network behind it, is too slow or blocked."
                )
            case .lastEntered:
                (
                    "A frame was not released for \(time): \(holder.element) was the last element that it entered.",
                    "If that element needs the frame, raise max-in-flight or in-flight-timeout."
                )
            case .noOutputYet:
                (
                    "A frame was not released for \(time): \(holder.element) has produced no output yet.",
                    "If it is an encoder with look-ahead, raise max-in-flight or configure it for low latency."
                )
            case .queued:
                (
                    "A frame was not released for \(time): \(holder.element), a queue, probably contains it.",
                    "Raise max-in-flight by the number of buffers in that queue, or speed up the elements behind it."
                )
            case .application:
                (
                    "A frame was not released for \(time): the application behind \(holder.element) keeps it.",
                    "Pull samples from \(holder.element) and unref them, or raise max-in-flight."
                )
            }
        return .stream(.failed, text, debug: "\(debug) \(advice)")
    }

    /// Warning about a push that takes too long: `time` so far, blocked inside the element `holder`.
    func warning(aboutPushTo holder: FrameHolder?, for time: Duration, drops: Bool) -> ElementError {
        let place = holder.map { "inside \($0.element)" } ?? "downstream"
        return .stream(
            .failed,
            "Pushing a frame has taken \(Int64(nanosecondsOf: time) / 1_000_000) ms so far: the thread is blocked \(place).",
            debug: drops
                ? "Newer frames wait in the queue, and the oldest are dropped, until the push returns."
                : "Newer frames wait in the queue, or upstream if the queue is full, until the push returns.")
    }

    // MARK: Streaming thread

    /// Determines the scheduling of the streaming thread; reads files, so the state change calls this function.
    func planThread(_ settings: BackpressureQueue.Settings) {
        var warning: ElementError?
        let processors: [Int]? =
            switch settings.processors {
            case .any: nil
            case .listed(let numbers): existing(numbers, &warning)
            case .performance: ProcessorChoice.fastest(ProcessorFiles.speeds())
            }
        thread.withLock {
            $0.priority = settings.priority
            $0.processors = processors
            $0.warning = warning
        }
    }

    /// Processors of `listed` that the machine has; nil if none exists, so that the thread runs on any processor.
    private func existing(_ listed: [Int], _ warning: inout ElementError?) -> [Int]? {
        guard case .listed(let online) = ProcessorChoice(ProcessorFiles.online()) else { return listed }
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
            plan.before = StreamingThread.current()
            plan.achieved = StreamingThread.raise(to: plan.priority)
            let isKept = plan.processors.map { StreamingThread.pin(to: $0) } ?? true
            return !isKept || plan.achieved != plan.priority
        }
        if isRefused {
            BackpressureQueue.log.warning(host, "the system did not grant the requested priority or processors")
        }
    }

    func leaveThread() {
        thread.withLock { plan in
            plan.before?.restore()
            plan.before = nil
        }
    }
}

extension DropReason {
    var name: String { ["in-flight", "full", "late", "wait-keyframe", "flushed"][rawValue] }
}

enum ProcessorFiles {
    /// Capacity of each online processor, or its highest frequency, or 0 if neither is known; reads files.
    static func speeds(_ folder: String = "/sys/devices/system/cpu") -> [(processor: Int, value: UInt64)] {
        var numbers = Array(0..<Int(sysconf(CInt(_SC_NPROCESSORS_CONF))))
        if case .listed(let online) = ProcessorChoice(online("\(folder)/online")) { numbers = online }
        for file in ["cpu_capacity", "cpufreq/cpuinfo_max_freq"] {
            let found = numbers.compactMap { number in
                SystemFiles.text(at: "\(folder)/cpu\(number)/\(file)")
                    .flatMap { UInt64($0.filter(\.isNumber)) }.map { (processor: number, value: $0) }
            }
            if !found.isEmpty { return found }
        }
        return numbers.map { ($0, 0) }
    }

    /// Numbers of the online processors, such as `0-3,6`; empty if neither file can be read.
    ///
    /// If `/sys` is missing, as in some containers, the file `statistics` is read instead.
    static func online(
        _ path: String = "/sys/devices/system/cpu/online", statistics: String = "/proc/stat"
    ) -> String {
        if let text = SystemFiles.text(at: path) { return text.filter { !$0.isWhitespace } }
        // 1 MiB, because the file grows with the number of interrupts and processors.
        guard let text = SystemFiles.text(at: statistics, atMost: 1 << 20) else { return "" }
        let names = text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        return names.filter { $0.hasPrefix("cpu") && $0.count > 3 }.map { $0.dropFirst(3) }.joined(separator: ",")
    }
}

/// Scheduling of the calling thread; if the system refuses a change, the change has no effect.
private struct StreamingThread {
    /// Priority below that of kernel threads, which is 50 or more; audio servers use a similar value.
    private static let realtimePriority: Int32 = 49
    private static let highNiceness: Int32 = -10

    private let policy: Int32
    private let policyPriority: Int32
    private let niceness: Int32
    private let processors: CProcessorSet?

    /// Returns the scheduling of the calling thread, for `restore`.
    static func current() -> Self {
        var priority: Int32 = 0
        let policy = unsafe cprocessor_get_policy(&priority)
        var processors = CProcessorSet()
        let hasProcessors = unsafe cprocessor_get_affinity(&processors)
        return Self(
            policy: policy, policyPriority: priority, niceness: cprocessor_get_niceness(),
            processors: hasProcessors ? processors : nil)
    }

    /// Restores this scheduling, because a task pool may reuse the thread.
    func restore() {
        _ = cprocessor_set_policy(policy, policyPriority)
        _ = cprocessor_set_niceness(niceness)
        if var processors { _ = unsafe cprocessor_set_affinity(&processors) }
    }

    /// Requests `priority`, or the next lower priority if it is refused; returns the granted priority.
    static func raise(to priority: ThreadPriority) -> ThreadPriority {
        // SCHED_RESET_ON_FORK: child threads and processes do not inherit the policy.
        let resetOnFork: Int32 = 0x4000_0000
        if priority == .realtime, cprocessor_set_policy(SCHED_RR | resetOnFork, realtimePriority) {
            return .realtime
        }
        if priority != .normal, cprocessor_set_niceness(highNiceness) { return .high }
        return .normal
    }

    /// Restricts the calling thread to `processors`; false if the system refuses or none of them exists.
    static func pin(to processors: [Int]) -> Bool {
        var set = CProcessorSet()
        for processor in processors where processor >= 0 {
            unsafe cprocessor_set_add(&set, UInt32(clamping: processor))
        }
        return unsafe cprocessor_set_affinity(&set)
    }
}
