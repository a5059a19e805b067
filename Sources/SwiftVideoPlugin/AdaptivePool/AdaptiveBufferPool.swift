import GStreamer
import MachineSensors
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
        var needs: PoolNeeds?
        var run: PoolRun?
        var ledger = PoolLedger()
        var hasToldOfMemory = false
    }
    let state = Mutex(State())

    init(pool: ElasticPool) { self.pool = pool }

    /// Called before the pool is handed out.
    func belongs(to owner: Owner) { state.withLock { $0.owner = owner } }

    var counts: PoolCounts { pool.counts }

    func plan(_ needs: PoolNeeds) -> PoolPlan {
        let owner = state.withLock { $0.owner }
        let settings = Self.settings(owner)
        let rules = settings.rules(for: needs)
        let (memory, reason) = settings.memory.value.available
        if let reason, let owner, owner.report.isFirstFallback() { tell(owner, memory, reason) }

        let size = min(max(needs.minimum, settings.prewarms ? rules.floor : 0), rules.cap)
        state.withLock { state in
            state.controller = PoolController(rules)
            state.times = WaitTimes()
            state.needs = needs
            state.hasToldOfMemory = false
            state.ledger = PoolLedger()
        }
        return PoolPlan(
            size: size, assured: rules.floor, limit: rules.cap, whenEmpty: settings.onEmpty.plan, memory: memory,
            touches: settings.prewarms)
    }

    func started(_ activation: PoolActivation) {
        let (needs, owner) = state.withLock { ($0.needs, $0.owner) }
        guard let needs else { return }
        let run = PoolRun(activation, needs: needs, owner: owner)
        let size = pool.counts.size
        state.withLock { state in
            state.run = run
            state.ledger = PoolLedger(size: size)
        }
        owner?.report.began(self)
        guard !Background.start("adaptivepool", { [self] in govern(run) }) else { return }
        announceLackOfThread(to: owner)
    }

    /// As the element has them now; without one, the limit is that of the pool's configuration.
    static func settings(_ owner: Owner?) -> AdaptivePoolSettings {
        if let owner { return owner.settings.now }
        var settings = AdaptivePoolSettings()
        settings.maximum = 0
        return settings
    }

    func stop() {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        run?.alarm.end()
    }

    func stoodStill(_ standstill: PoolStandstill) -> PoolPatience {
        let (verdict, run) = state.withLock { state in
            let verdict = state.controller.stoodStill(
                GrowthLimit.Standstill(
                    size: standstill.size, quiet: .nanoseconds(Int64(clamping: standstill.quietNanoseconds)),
                    longestGap: .nanoseconds(Int64(clamping: standstill.longestGapNanoseconds))))
            return (verdict, state.run)
        }
        switch verdict {
        case .wait(let time?): return .wait(nanoseconds: UInt64(clamping: time.wholeNanoseconds))
        // The user may change the limit meanwhile.
        case .wait(nil): return .wait(nanoseconds: PoolGovernor.lookInterval)
        case .raise(let limit):
            // Its thread looks for the holder while nothing moves.
            run?.alarm.wake()
            return .grow(upTo: limit)
        }
    }

    func acquired(afterNanoseconds time: UInt64, foundIdle: Bool) {
        state.withLock { state in
            // One in sixteen of these is timed.
            state.times.took(nanoseconds: time, times: foundIdle ? 16 : 1)
        }
    }

    func couldNotMakeBuffer() {
        let owner: Owner? = state.withLock { state in
            defer { state.hasToldOfMemory = true }
            return state.hasToldOfMemory ? nil : state.owner
        }
        if let owner { announceFailure(to: owner) }
    }

    func ranOutOfMemory() {
        let (owner, bytes) = state.withLock { ($0.owner, $0.needs?.bytesInBuffer ?? 0) }
        owner?.host.lend { host in
            host.post(
                error: .resource(
                    .noSpaceLeft, "There is no memory left for a video frame.",
                    debug: "A frame takes \(bytes) bytes, and none is on its way that could come back."))
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

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        (components.seconds * 1_000_000_000) + (components.attoseconds / 1_000_000_000)
    }
}

/// One activation of a pool.
final class PoolRun: Sendable {
    let activation: PoolActivation
    let needs: PoolNeeds
    let owner: AdaptiveBufferPool.Owner?
    let alarm = Alarm()
    let sensors: MachineSensors

    init(_ activation: PoolActivation, needs: PoolNeeds, owner: AdaptiveBufferPool.Owner?) {
        self.activation = activation
        self.needs = needs
        self.owner = owner
        sensors = MachineSensors.shared(owner?.settings.now.machineRoot ?? .machine)
    }

    var settings: AdaptivePoolSettings { AdaptiveBufferPool.settings(owner) }
}
