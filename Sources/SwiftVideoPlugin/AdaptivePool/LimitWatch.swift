import GStreamer
import StreamControl

/// Warns, and names the holder of the oldest buffer, when a pool has reached a limit.
///
/// Two conditions are watched, each at its own pace: the stream waits at a limit that the user has set, and the
/// automatic limit was raised since no buffer came back.
struct LimitWatch {
    /// How long the oldest buffer may take to pass an input; then the likely holder is named.
    private static let patience: Duration = .milliseconds(500)

    private enum Condition { case waits, raised }

    private var search: (watch: HolderWatch, condition: Condition, began: Duration)?
    private var paces: (waits: WarningPace, raised: WarningPace) = (WarningPace(), WarningPace())
    private var raises: UInt64 = 0
    /// The acquires so far, and since when there has been no other while one waits.
    private var stuck: (acquires: UInt64, since: Duration)?

    /// Called at each look at the pool.
    mutating func looked(
        _ kind: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, finalCap: Int, at now: Duration
    ) {
        guard let owner = run.owner else { return }
        if counts.waiting == 0 {
            stuck = nil
        } else if stuck?.acquires != counts.acquires {
            stuck = (counts.acquires, now)
        }
        if search == nil { begin(kind, owner, counts, finalCap, now) }
        guard let (watch, condition, began) = search else { return }
        guard counts.inUse > 0 else { return search = nil }
        let isLastLook = now - began >= Self.patience
        switch condition {
        case .waits:
            if let holder = watch.holder() {
                tell(kind, run, counts, condition, "; \(holder) holds the oldest", now)
            } else if isLastLook {
                var likely: LikelyHolder?
                owner.host.lend { likely = watch.likelyHolder(downstreamOf: $0) }
                let text = likely.map { "; \($0.element) probably holds the oldest" } ?? ""
                tell(kind, run, counts, condition, text, now)
            }
        case .raised:
            // Nothing moved when the limit was raised, so what is found now is good. There may be no later look.
            var holder: LikelyHolder?
            owner.host.lend { holder = watch.holderOfMost(downstreamOf: $0) }
            guard holder?.hasReason == true || isLastLook else { return }
            let text = holder.map { "; \($0.element) \($0.isCertain ? "" : "probably ")holds most of them" } ?? ""
            tell(kind, run, counts, condition, text, now)
        }
    }

    private mutating func begin(
        _ kind: AdaptiveBufferPool, _ owner: AdaptiveBufferPool.Owner, _ counts: PoolCounts, _ finalCap: Int,
        _ now: Duration
    ) {
        let waits = (counts.hitLimit || counts.waiting > 0) && counts.size >= finalCap
        let raisesNow = kind.state.withLock { $0.controller.raises }
        let hasRaised = raisesNow > raises
        raises = raisesNow
        let condition: Condition
        if waits, paces.waits.isDue(at: now) {
            condition = .waits
        } else if hasRaised, paces.raised.isDue(at: now) {
            condition = .raised
        } else {
            return
        }
        owner.host.lend { search = (HolderWatch(kind.pool, downstreamOf: $0), condition, now) }
    }

    private mutating func tell(
        _ kind: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, _ condition: Condition, _ holder: String,
        _ now: Duration
    ) {
        search = nil
        switch condition {
        case .waits:
            paces.waits.warned(at: now)
            kind.announceLimit(run, counts, holder, stuckFor: stuck.map { now - $0.since } ?? .zero)
        case .raised:
            paces.raised.warned(at: now)
            kind.announceRaise(run, counts, holder)
        }
    }
}
