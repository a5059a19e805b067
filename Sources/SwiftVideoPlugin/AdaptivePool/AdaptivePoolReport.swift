import GStreamer
import StreamControl
import Synchronization

/// What `adaptivepool` can tell about itself, and the pools it has handed out; shared by all threads.
final class AdaptivePoolReport: Sendable {
    struct Pools {
        /// The pool that was activated last.
        var current: AdaptiveBufferPool?
        /// The pool of `force`, and those that upstream was offered and may wait in.
        var offered: [WeakPool] = []
        var isFlushing = false
        var isClosed = false
        var hasFallenBack = false
        /// The contradictions in the settings that were posted last.
        var contradictions: [SettingsContradiction] = []
    }

    let pools = Mutex(Pools())

    /// Called by a pool that is activated.
    func began(_ pool: AdaptiveBufferPool) {
        let old = pools.withLock { pools in
            defer { if !pools.isClosed { pools.current = pool } }
            return pools.current
        }
        withExtendedLifetime(old) {}
    }

    /// Called when the element starts.
    func elementStarted() {
        pools.withLock { pools in
            pools.hasFallenBack = false
            pools.contradictions = []
        }
    }

    /// Posts a warning for each contradiction in `settings` that was not posted yet.
    func tellContradictions(of settings: AdaptivePoolSettings, to host: WeakHost) {
        let now = settings.contradictions
        let new = pools.withLock { pools in
            guard pools.contradictions != now else { return [] as [SettingsContradiction] }
            defer { pools.contradictions = now }
            return now.filter { !pools.contradictions.contains($0) }
        }
        guard !new.isEmpty else { return }
        host.lend { host in for one in new { host.post(warning: one.notice) } }
    }

    /// Whether no pool has had to do with other memory than was asked for, since the element started.
    func isFirstFallback() -> Bool {
        pools.withLock { pools in
            defer { pools.hasFallenBack = true }
            return !pools.hasFallenBack
        }
    }

    /// Called when the element goes; pools that outlive it are not remembered any more.
    func forget() {
        let old = pools.withLock { pools in
            defer { pools = Pools(isClosed: true) }
            return pools
        }
        withExtendedLifetime(old) {}
    }

    var current: AdaptiveBufferPool? { pools.withLock { $0.current } }

    static let properties: [Property<AdaptivePoolSettings>] = [
        .uint64(
            "current-buffers", "The number of buffers", reported: { $0.current.map { UInt64($0.counts.size) } ?? 0 }),
        .uint64(
            "outstanding-buffers", "The number of buffers in use",
            reported: { $0.current.map { UInt64($0.counts.inUse) } ?? 0 }),
        .uint64(
            "peak-outstanding", "The most buffers in use at once",
            reported: { $0.current.map { UInt64($0.counts.peak) } ?? 0 }),
        .structure("stats", "What the pool has done so far", reported: { $0.statistics }),
    ]

    private var statistics: Structure {
        current?.statistics ?? Structure("application/x-adaptivepool-stats", ["acquires": .uint64(0)])
    }
}
