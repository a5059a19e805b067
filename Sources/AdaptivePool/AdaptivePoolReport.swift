import ElasticPool
import GStreamer
import Threads

/// The read-only properties of `adaptivepool`, and the pools that it has offered.
///
/// Any thread may call it. Its mutex is not held while a pool is called or a message is posted.
final class AdaptivePoolReport: Sendable {
    private struct State {
        /// The pool that was activated last.
        var current: AdaptiveBufferPool?
        /// The pools in which upstream may wait: those that it was offered, and the pool of `force`.
        var offered: [WeakPool<AdaptiveBufferPool>] = []
        var isFlushing = false
        var isClosed = false
        var hasFallenBack = false
        /// The contradictions that were posted last.
        var contradictions: [SettingsContradiction] = []
    }

    private let state = Mutex(State())

    /// Called by a pool that is activated.
    func poolStarted(_ pool: AdaptiveBufferPool) {
        let old = state.withLock { state in
            defer { if !state.isClosed { state.current = pool } }
            return state.current
        }
        withExtendedLifetime(old) {}
    }

    /// Called when the element starts.
    func elementStarted() {
        state.withLock { state in
            state.hasFallenBack = false
            state.contradictions = []
        }
    }

    /// Called when the element is freed; pools that outlive it are not kept.
    func close() {
        let old = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Flushing

    /// Adds a pool that a flush must reach.
    func add(_ pool: PoolReference<AdaptiveBufferPool>) {
        let weak = WeakPool(pool)
        let isFlushing = state.withLock { state in
            state.offered.removeAll { !$0.isAlive }
            state.offered.append(weak)
            return state.isFlushing
        }
        // The flush began before this pool was added.
        if isFlushing { pool.pool.elastic.forbidWaiting(true) }
    }

    /// Forbids acquires to wait while the element flushes or stops; with false, allows them to wait again.
    func flush(_ isFlushing: Bool) {
        let pools = state.withLock { state in
            state.isFlushing = isFlushing
            return state.offered
        }
        for pool in pools { pool.lend { $0.elastic.forbidWaiting(isFlushing) } }
    }

    // MARK: Messages posted once

    /// Posts a warning for each contradiction in `settings` that was not posted yet.
    func postContradictions(of settings: AdaptivePoolSettings, from host: ElementHost) {
        let now = settings.contradictions
        let new = state.withLock { state in
            guard state.contradictions != now else { return [] as [SettingsContradiction] }
            defer { state.contradictions = now }
            return now.filter { !state.contradictions.contains($0) }
        }
        guard !new.isEmpty else { return }
        for one in new { host.post(warning: one.notice) }
    }

    /// Whether this is the first pool since the element started that uses other memory than requested.
    func isFirstFallback() -> Bool {
        state.withLock { state in
            defer { state.hasFallenBack = true }
            return !state.hasFallenBack
        }
    }

    // MARK: Properties

    var current: AdaptiveBufferPool? { state.withLock { $0.current } }

    static let properties: [Property<AdaptivePoolSettings>] = [
        .uint64(
            "current-buffers", "Number of buffers in the pool",
            reported: { $0.current.map { UInt64($0.counts.size) } ?? 0 }),
        .uint64(
            "outstanding-buffers", "Number of buffers in use",
            reported: { $0.current.map { UInt64($0.counts.inUse) } ?? 0 }),
        .uint64(
            "peak-outstanding", "Largest number of buffers in use at once",
            reported: { $0.current.map { UInt64($0.counts.peak) } ?? 0 }),
        .structure("stats", "Counters of the pool since it started", reported: { $0.statistics }),
    ]

    private var statistics: Structure {
        current?.statistics ?? Structure("application/x-adaptivepool-stats", ["acquires": .uint64(0)])
    }
}
