import GStreamer

/// Says once who holds the oldest buffer of a pool that has all there may be in use.
struct LimitWatch {
    /// How long it waits for the oldest buffer to pass somebody by; then it says what is likely.
    private static let patience: UInt64 = 500_000_000

    private var watch: HolderWatch?
    private var beganAt: UInt64 = 0
    private var isDone = false

    /// Called at each look at the pool.
    mutating func looked(
        _ kind: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, cap: Int, at now: UInt64
    ) {
        guard !isDone, let owner = run.owner else { return }
        guard let watch else {
            guard counts.hitLimit, counts.size >= cap else { return }
            beganAt = now
            owner.host.lend { watch = HolderWatch(kind.pool, downstreamOf: $0) }
            return
        }
        if let holder = watch.holder() { return tell(kind, run, counts, "; \(holder) holds the oldest") }
        guard now &- beganAt >= Self.patience else { return }
        guard counts.inUse > 0 else { return self.watch = nil }
        var likely: String?
        owner.host.lend { likely = watch.likelyHolder(downstreamOf: $0) }
        tell(kind, run, counts, likely.map { "; \($0) probably holds the oldest" } ?? "")
    }

    private mutating func tell(_ kind: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, _ holder: String) {
        watch = nil
        isDone = true
        kind.announceLimit(run, counts, holder)
    }
}
