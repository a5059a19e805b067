import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

/// State shared by the threads of a queue, protected by the monitor.
struct QueueState: ~Copyable {
    /// Condition variables of the monitor.
    enum Wake {
        /// Signals an item to push, or credit for it.
        static let exit = 0
        /// Signals room at the entrance.
        static let room = 1
        /// Signals the answer to a query.
        static let answer = 2
        static let count = 3
    }

    var machine = QueueMachine<QueuedData>()
    var releaseTimes = DurationHistogram()

    /// Time of the next LATENCY query for the liveness of the source; nil if none is needed.
    var livenessQueryAt: Duration? = .zero
    /// Segment and position of the stream at the entrance.
    var segment = Segment()

    /// Contribution of the queue to the maximum latency.
    struct Latency: Equatable {
        var longestWait: Duration?
        var leaks: Bool
    }

    /// Contribution in the last answer to a LATENCY query; nil before the first answer.
    private var lastAnswer: Latency?

    // Copies of settings.
    private var revision: UInt64 = 0
    var scope = TokenScope.derived
    var hasWarnedOfHolder = false
    /// Whether a LATENCY event was received since the start.
    var knowsLatency = false

    mutating func apply(_ settings: BackpressureQueue.Settings, revision: UInt64) {
        guard revision > self.revision else { return }
        self.revision = revision
        machine.limitsChanged(to: settings.limits, now: MonotonicClock.now)
        machine.isSilent = settings.isSilent
        machine.dropLogInterval = settings.dropLogInterval
        scope = settings.scope
    }

    private var latency: Latency {
        // A queue that drops by delay lets frames wait for any deadline, so its maximum latency is unlimited.
        Latency(
            longestWait: machine.policy.longestWait, leaks: machine.policy.leak != .none && !machine.policy.dropsByDelay
        )
    }

    /// Contribution for the answer to a LATENCY query, stored for `latencyHasChanged`.
    mutating func latencyForAnswer() -> Latency {
        lastAnswer = latency
        return latency
    }

    /// Whether the contribution differs from the last answer; returns true once per change.
    mutating func latencyHasChanged() -> Bool {
        guard lastAnswer != nil, lastAnswer != latency else { return false }
        lastAnswer = latency
        return true
    }

    mutating func begin() {
        lastAnswer = nil
        machine.begin()
        releaseTimes = DurationHistogram()
        hasWarnedOfHolder = false
        knowsLatency = false
        livenessQueryAt = .zero
    }

    /// Whether the warning about unreleased frames may be posted: true once per start.
    mutating func mayWarnOfHolder() -> Bool {
        defer { hasWarnedOfHolder = true }
        return !hasWarnedOfHolder
    }

    /// Moves all items to the trash; with `storesStickyEvents`, the source pad stores the sticky events among them.
    mutating func flush(storesStickyEvents: Bool) {
        machine.flush(storesStickyEvents: storesStickyEvents)
        segment = Segment()
    }

    mutating func forgetFrames(_ ledger: TokenLedger) {
        collect(ledger)
        ledger.forgetAll()
    }

    /// Reports the released frames to the policy.
    mutating func collect(_ ledger: TokenLedger) {
        ledger.collect { release in
            machine.policy.frameReleased(
                pushedAt: release.pushedAt, at: release.releasedAt,
                // The clock stands still in PAUSED, so the age of a frame pushed before `resumedAt` is not valid.
                age: release.pushedAt < machine.resumedAt ? nil : release.age, inFlight: ledger.inFlight)
            releaseTimes.add(release.releasedAt - release.enteredAt)
        }
    }
}
