import ElasticPool
import GStreamer
import PoolPolicy

/// Warns, and names the element that holds the buffers, when a pool has reached a limit.
///
/// It warns about two conditions, each at its own pace: the stream waits at a limit that the user has set, or the
/// automatic limit was raised because no buffer was released.
struct LimitWatch {
    /// Time during which the oldest buffer may pass a probe; afterwards the warning names the probable holder.
    private static let patience: Duration = .milliseconds(500)

    private enum Condition { case waits, raised }

    private var search: (watch: HolderWatch, condition: Condition, began: Duration)?
    private var paces: (waits: WarningPace, raised: WarningPace) = (WarningPace(), WarningPace())
    private var raises: UInt64 = 0
    /// The number of acquires, and the time since which it is constant while one waits.
    private var stuck: (acquires: UInt64, since: Duration)?

    /// Called at each check of the pool.
    mutating func checked(
        _ pool: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, finalCap: Int, at now: Duration
    ) {
        guard let owner = run.owner else { return }
        if counts.waiting == 0 {
            stuck = nil
        } else if stuck?.acquires != counts.acquires {
            stuck = (counts.acquires, now)
        }
        if search == nil { begin(pool, owner, counts, finalCap, now) }
        guard let (watch, condition, began) = search else { return }
        guard counts.inUse > 0 else { return search = nil }
        let isLastCheck = now - began >= Self.patience
        switch condition {
        case .waits:
            if let holder = watch.holder() {
                post(pool, run, counts, condition, "; \(holder) holds the oldest", now)
            } else if isLastCheck {
                let likely = watch.likelyHolder(downstreamOf: owner.host)
                let text = likely.map { "; \($0.element) probably holds the oldest" } ?? ""
                post(pool, run, counts, condition, text, now)
            }
        case .raised:
            // No buffer was released before the limit was raised, so the element that holds them now held them then.
            let holder = watch.holderOfMost(downstreamOf: owner.host)
            guard holder?.hasEvidence == true || isLastCheck else { return }
            let text = holder.map { "; \($0.element) \($0.isCertain ? "" : "probably ")holds most of them" } ?? ""
            post(pool, run, counts, condition, text, now)
        }
    }

    private mutating func begin(
        _ pool: AdaptiveBufferPool, _ owner: AdaptiveBufferPool.Owner, _ counts: PoolCounts, _ finalCap: Int,
        _ now: Duration
    ) {
        let waits = (counts.hitLimit || counts.waiting > 0) && counts.size >= finalCap
        let raisesNow = pool.state.withLock { $0.controller.raises }
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
        search = (HolderWatch(pool.elastic, downstreamOf: owner.host), condition, now)
    }

    private mutating func post(
        _ pool: AdaptiveBufferPool, _ run: PoolRun, _ counts: PoolCounts, _ condition: Condition, _ holder: String,
        _ now: Duration
    ) {
        search = nil
        switch condition {
        case .waits:
            paces.waits.warned(at: now)
            pool.postLimit(run, counts, holder, stuckFor: stuck.map { now - $0.since } ?? .zero)
        case .raised:
            paces.raised.warned(at: now)
            pool.postRaise(run, counts, holder)
        }
    }
}
