import GStreamer
import StreamControl
import Synchronization

/// A buffer pool that follows the load: `PoolController` decides, `ElasticPool` does it.
///
/// While it is active a thread of its own wakes once per window, looks at what was in use, and grows or shrinks the
/// pool; the streaming threads only count. Without an element it has the element's defaults, and the limit that its
/// configuration names.
final class AdaptiveBufferPool: BufferPoolKind {
    static let typeName = "GstAdaptiveBufferPool"

    /// The element behind a pool.
    struct Owner: Sendable {
        let settings: LiveSettings<AdaptivePoolSettings>
        let host: WeakHost
        let report: AdaptivePoolReport
    }

    let pool: ElasticPool

    struct State {
        var owner: Owner?
        var controller = PoolController(PoolRules())
        var times = WaitTimes()
        var run: PoolRun?
        var ledger = PoolLedger()
    }
    let state = Mutex(State())

    init(pool: ElasticPool) { self.pool = pool }

    /// Called before the pool is handed out.
    func belongs(to owner: Owner) { state.withLock { $0.owner = owner } }

    var counts: PoolCounts { pool.counts }

    func start(_ needs: PoolNeeds) -> PoolPlan {
        let owner = state.withLock { $0.owner }
        var settings = owner?.settings.now ?? AdaptivePoolSettings()
        if owner == nil { settings.maximum = 0 }
        let rules = settings.rules(for: needs)
        let (memory, reason) = settings.memory.value.available
        if let reason, let owner { tell(owner, memory, reason) }

        let size = min(max(needs.minimum, settings.prewarms ? rules.floor : 0), rules.cap)
        let run = PoolRun(pool, needs: needs, owner: owner)
        state.withLock { state in
            state.controller = PoolController(rules)
            state.times = WaitTimes()
            state.ledger = PoolLedger(size: size)
            state.run = run
        }
        owner?.report.began(self)
        _ = Background.start("adaptivepool") { [self] in govern(run) }
        return PoolPlan(
            size: size, limit: rules.cap, whenEmpty: settings.onEmpty.plan, memory: memory, touches: settings.prewarms)
    }

    func stop() {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        run?.alarm.end()
    }

    func acquired(afterNanoseconds time: UInt64, foundIdle: Bool) {
        state.withLock { state in
            // One in sixteen of these is timed.
            state.times.took(nanoseconds: time, times: foundIdle ? 16 : 1)
        }
    }

    private func tell(_ owner: Owner, _ memory: PoolMemory, _ reason: String) {
        owner.host.lend { host in
            host.post(
                warning: .resource(
                    .notFound, "Frames are kept in \(memory) memory.",
                    debug: "What was asked for is not to be had: \(reason)."))
        }
    }
}

/// One activation of a pool.
final class PoolRun: Sendable {
    let needs: PoolNeeds
    let owner: AdaptiveBufferPool.Owner?
    let alarm = Alarm()
    let sensors: MachineSensors
    /// In place before the first frame, or it would not know where that went.
    let watch: HolderWatch?

    init(_ pool: ElasticPool, needs: PoolNeeds, owner: AdaptiveBufferPool.Owner?) {
        self.needs = needs
        self.owner = owner
        sensors = MachineSensors.below(owner?.settings.now.sensorRoot ?? "")
        var watch: HolderWatch?
        owner?.host.lend { watch = HolderWatch(pool, downstreamOf: $0) }
        self.watch = watch
    }

    var settings: AdaptivePoolSettings {
        if let owner { return owner.settings.now }
        var settings = AdaptivePoolSettings()
        settings.maximum = 0
        return settings
    }
}
