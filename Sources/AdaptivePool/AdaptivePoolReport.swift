import ElasticPool
import GStreamer
import Threads

/// The read-only properties of `adaptivepool`, and the pools that it has offered.
///
/// Any thread may call the methods. The mutex is not held during calls of a pool and while a message is posted.
final class AdaptivePoolReport: Sendable {
    private struct State {
        /// The pool that was activated last.
        var current: AdaptiveBufferPool?
        /// Pools in which upstream may wait: the offered pools, and the pool of `force`.
        var offered: [WeakPool<AdaptiveBufferPool>] = []
        var isFlushing = false
        var isClosed = false
        var hasFallenBack = false
        /// Texts of the contradictions that were posted last.
        var contradictions: [String] = []
    }

    private let state = Mutex(State())

    /// Makes an activated pool the current pool.
    func poolStarted(_ pool: AdaptiveBufferPool) {
        let old = state.withLock { state in
            defer { if !state.isClosed { state.current = pool } }
            return state.current
        }
        withExtendedLifetime(old) {}
    }

    /// Called when the element starts, so that its messages can be posted again.
    func elementStarted() {
        state.withLock { state in
            state.hasFallenBack = false
            state.contradictions = []
        }
    }

    /// Drops the references to pools, which may outlive the element; called when the element is freed.
    func close() {
        let old = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Flushing

    /// Adds a pool whose acquires must not wait during a flush.
    func add(_ pool: PoolReference<AdaptiveBufferPool>) {
        let weak = WeakPool(pool)
        let (isFlushing, offered) = state.withLock { state in
            state.offered.append(weak)
            return (state.isFlushing, state.offered)
        }
        // `isAlive` may release the last reference to a pool, so it is called without the mutex.
        let gone = offered.filter { !$0.isAlive }
        state.withLock { state in state.offered.removeAll { one in gone.contains { $0 === one } } }
        // The flush began before this pool was added.
        if isFlushing { pool.pool.elastic.forbidWaiting(true) }
    }

    /// Called with true when the element flushes or stops, so that no acquire waits; called with false afterwards.
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
            defer { state.contradictions = now.map { $0.text } }
            return now.filter { !state.contradictions.contains($0.text) }
        }
        for (text, remedy) in new { host.post(warning: .resource(.settings, text, debug: "\(text) \(remedy)")) }
    }

    /// Whether this pool is the first since the start that uses other memory than requested.
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
