import GStreamer
import QueuePolicy
import Statistics

/// What the threads of a queue share.
struct QueueState: ~Copyable {
    /// What can be waited for.
    enum Wake {
        /// Something to push, or a credit to push it with.
        static let exit = 0
        /// Room at the entrance.
        static let room = 1
        /// A query was answered.
        static let answer = 2
        static let count = 3
    }

    var machine = QueueMachine<QueuedData>()
    var releaseTimes = DurationHistogram()

    /// When to ask the source whether it is live; nil once it has answered.
    var askSourceAt: UInt64? = 0
    /// Where the entrance is in the stream.
    var segment = Segment()

    /// What the queue does to the latency.
    struct Latency: Equatable {
        var longestWait: UInt64?
        var leaks: Bool
    }

    /// What the pipeline was told last, if it has asked.
    private var toldLatency: Latency?

    // From the settings.
    private var revision: UInt64 = 0
    var scope = TokenScope.derived
    var hasWarnedOfHolder = false
    /// A LATENCY event has come since the start.
    var knowsLatency = false

    mutating func apply(_ settings: BackpressureQueue.Settings, revision: UInt64) {
        guard revision > self.revision else { return }
        self.revision = revision
        let before = machine.policy.limits
        machine.policy.limits = settings.limits
        machine.isSilent = settings.isSilent
        machine.dropLogInterval = settings.dropLogInterval
        scope = settings.scope.scope
        if !machine.policy.limits.hasSameSizes(as: before) { machine.sizesChanged(now: Monotonic.now) }
    }

    private var latency: Latency {
        // Where the delay decides, as long as a deadline may be: what waits for it adds to what upstream can hold.
        Latency(
            longestWait: machine.policy.longestWait, leaks: machine.policy.leak != .none && !machine.policy.dropsByDelay
        )
    }

    /// What to tell the pipeline, which may rely on it from now on.
    mutating func latencyForAnswer() -> Latency {
        toldLatency = latency
        return latency
    }

    /// Whether the pipeline was told something else; true once for each change.
    mutating func latencyHasChanged() -> Bool {
        guard let told = toldLatency, told != latency else { return false }
        toldLatency = latency
        return true
    }

    /// A new stream may come.
    mutating func begin() {
        toldLatency = nil
        machine.begin()
        releaseTimes = DurationHistogram()
        hasWarnedOfHolder = false
        knowsLatency = false
        askSourceAt = 0
    }

    /// True once: the warning about frames that do not come back is posted once a stream.
    mutating func mayWarnOfHolder() -> Bool {
        defer { hasWarnedOfHolder = true }
        return !hasWarnedOfHolder
    }

    /// PLAYING is reached, or left.
    mutating func playingChanged(_ isPlaying: Bool, _ now: UInt64) {
        if isPlaying { machine.resumed(now: now) } else { machine.paused(now: now) }
    }

    /// Moves all items to the trash; the source pad may store sticky events of them.
    mutating func flush(storesStickyEvents: Bool) {
        machine.flush(storesStickyEvents: storesStickyEvents)
        segment = Segment()
    }

    /// Frames that are out now count no more.
    mutating func forgetFrames(_ ledger: TokenLedger) {
        collect(ledger)
        ledger.forgetAll()
    }

    /// Takes note of frames that came back.
    mutating func collect(_ ledger: TokenLedger) {
        ledger.collect { release in
            machine.policy.frameReleased(
                pushedAt: release.pushedAt, at: release.releasedAt,
                // The age of a frame that was out in PAUSED means nothing.
                age: release.pushedAt < machine.resumedAt ? nil : release.age, inFlight: ledger.inFlight)
            releaseTimes.add(
                nanoseconds: release.releasedAt > release.enteredAt ? release.releasedAt - release.enteredAt : 0)
        }
    }
}
