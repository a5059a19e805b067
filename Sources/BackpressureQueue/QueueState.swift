import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

/// State shared by the threads of a queue, protected by the monitor.
struct QueueState: ~Copyable {
    /// Condition variables of the monitor.
    enum Wake {
        /// An item to push, or credit for it.
        static let exit = 0
        /// Room at the entrance.
        static let room = 1
        /// The answer to a query.
        static let answer = 2
        static let count = 3
    }

    var machine = QueueMachine<QueuedData>()
    var releaseTimes = DurationHistogram()

    /// Time of the next LATENCY query, which determines whether the source is live; nil if none is needed.
    var livenessQueryAt: Duration? = .zero
    /// Segment and position of the stream at the entrance.
    var segment = Segment()

    /// Contribution of the queue to the latency.
    struct Latency: Equatable {
        var longestWait: Duration?
        var leaks: Bool
    }

    /// Last answer to a LATENCY query; nil before the first.
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
        // If the delay limits the queue, a frame may wait for any deadline, so the maximum latency is unlimited.
        Latency(
            longestWait: machine.policy.longestWait, leaks: machine.policy.leak != .none && !machine.policy.dropsByDelay
        )
    }

    /// Contribution for the answer to a LATENCY query.
    ///
    /// It is stored for `latencyHasChanged`.
    mutating func latencyForAnswer() -> Latency {
        lastAnswer = latency
        return latency
    }

    /// Whether the contribution differs from the last answer.
    ///
    /// Returns true once per change.
    mutating func latencyHasChanged() -> Bool {
        guard lastAnswer != nil, lastAnswer != latency else { return false }
        lastAnswer = latency
        return true
    }

    /// Resets the state when the element starts.
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

    /// The element reached or left PLAYING.
    mutating func playingChanged(_ isPlaying: Bool, _ now: Duration) {
        if isPlaying { machine.resumed(now: now) } else { machine.paused(now: now) }
    }

    /// Moves all items to the trash.
    ///
    /// With `storesStickyEvents`, the source pad stores the sticky events among them.
    mutating func flush(storesStickyEvents: Bool) {
        machine.flush(storesStickyEvents: storesStickyEvents)
        segment = Segment()
    }

    /// Stops counting the frames in flight.
    mutating func forgetFrames(_ ledger: TokenLedger) {
        collect(ledger)
        ledger.forgetAll()
    }

    /// Records the frames that were released.
    mutating func collect(_ ledger: TokenLedger) {
        ledger.collect { release in
            machine.policy.frameReleased(
                pushedAt: release.pushedAt, at: release.releasedAt,
                // The age of a frame that was in flight in PAUSED is not valid.
                age: release.pushedAt < machine.resumedAt ? nil : release.age, inFlight: ledger.inFlight)
            releaseTimes.add(release.releasedAt - release.enteredAt)
        }
    }
}
