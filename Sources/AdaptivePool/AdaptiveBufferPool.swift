import ElasticPool
import GStreamer
import MachineSensors
import PoolPolicy
import Durations
import Threads

/// The pool that `adaptivepool` offers: `PoolController` decides its size, and `ElasticPool` changes it.
///
/// While the pool is active, `PoolGovernor` runs on its own thread. Streaming threads only update counters and grow the
/// pool to its limit. A pool without an element has the default settings and only the limit of its configuration.
///
/// Any thread may call the methods. With its mutex locked, only the policy is called and no other mutex is locked.
final class AdaptiveBufferPool: ElasticBufferPool {
    static let typeName = "GstAdaptiveBufferPool"

    /// The element that offers the pool, with its settings, its host and its report.
    struct Owner: Sendable {
        let settings: LiveSettings<AdaptivePoolSettings>
        let host: ElementHost
        let report: AdaptivePoolReport
    }

    struct State {
        var owner: Owner?
        var controller = PoolController(PoolRules())
        var times = DurationHistogram()
        var needs: PoolNeeds?
        var run: PoolRun?
        var ledger = PoolLedger()
        var hasReportedFailure = false
    }

    let elastic: ElasticPool
    let state = Mutex(State())

    init(host: BufferPoolHost) {
        elastic = ElasticPool(host)
        elastic.setOwner(self)
    }

    /// Sets the element that owns the pool, before the pool is offered.
    func setOwner(_ owner: Owner) { state.withLock { $0.owner = owner } }

    var counts: PoolCounts { elastic.counts }

    /// Present settings of the element; if there is no element, the defaults without the automatic limit.
    static func settings(_ owner: Owner?) -> AdaptivePoolSettings {
        if let owner { return owner.settings.now }
        var settings = AdaptivePoolSettings()
        settings.maximum = 0
        return settings
    }

    // MARK: Called by the elastic pool

    func poolWillStart(_ needs: PoolNeeds) -> PoolPlan {
        let owner = state.withLock { $0.owner }
        let settings = Self.settings(owner)
        let rules = settings.rules(for: needs)
        let (memory, reason) = settings.memory.available
        if let reason, let owner, owner.report.isFirstFallback() { postFallback(owner, memory, reason) }

        let size = min(max(needs.minimum, settings.prewarms ? rules.floor : 0), rules.cap)
        state.withLock { state in
            state.controller = PoolController(rules)
            state.times = DurationHistogram()
            state.needs = needs
            state.hasReportedFailure = false
            state.ledger = PoolLedger()
        }
        return PoolPlan(
            size: size, assured: rules.floor, limit: rules.cap, whenEmpty: settings.onEmpty, memory: memory,
            touches: settings.prewarms)
    }

    func poolStarted(_ activation: PoolActivation) {
        let (needs, owner) = state.withLock { ($0.needs, $0.owner) }
        guard let needs else { return }
        let run = PoolRun(activation, needs: needs, owner: owner)
        let size = counts.size
        state.withLock { state in
            state.run = run
            state.ledger = PoolLedger(size: size)
        }
        owner?.report.poolStarted(self)
        guard Worker.start("adaptivepool", { [self] in govern(run) }) == nil else { return }
        postLackOfThread(owner)
    }

    func poolStopped() {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        run?.alarm.end()
    }

    func limitReached(_ exhaustion: GrowthLimit.Exhaustion) -> GrowthLimit.Verdict {
        let (verdict, run) = state.withLock { ($0.controller.exhausted(exhaustion), $0.run) }
        switch verdict {
        case .wait(.some): return verdict
        // A timeout is necessary, because the user may change the limit meanwhile.
        case .wait(nil): return .wait(PoolGovernor.checkInterval)
        case .raise:
            // The governor wakes to search for the holder of the buffers before one of them is released.
            run?.alarm.wake()
            return verdict
        }
    }

    func acquired(after time: Duration, foundIdle: Bool) {
        // Only every sixteenth acquire that finds an idle buffer is timed, so its time counts sixteenfold.
        state.withLock { $0.times.add(time, times: foundIdle ? 16 : 1) }
    }

    func allocationFailed() {
        let owner: Owner? = state.withLock { state in
            defer { state.hasReportedFailure = true }
            return state.hasReportedFailure ? nil : state.owner
        }
        if let owner { postAllocationFailure(owner) }
    }

    func ranOutOfMemory() {
        let (owner, bytes) = state.withLock { ($0.owner, $0.needs?.bytesInBuffer ?? 0) }
        if let owner { postLackOfMemory(owner, bytesInBuffer: bytes) }
    }

    // MARK: Called by the governor

    /// Runs the governor on the calling thread until the run ends.
    func govern(_ run: PoolRun) {
        var governor = PoolGovernor(self, run)
        governor.work()
    }

    /// The action for the governor to take, and the controller after this decision.
    typealias Decision = (action: PoolAction, controller: PoolController, hasOpenedBreaker: Bool)

    /// Returns the decision about the size of the pool; nil if `run` has ended.
    func decide(
        _ run: PoolRun, _ window: PoolWindow, isWindowOver: Bool, _ rules: PoolRules, at now: Duration
    ) -> Decision? {
        state.withLock { state in
            guard state.run === run else { return nil }
            let before = state.controller.breaker
            state.controller.rulesChanged(rules)
            let action =
                isWindowOver
                ? state.controller.windowEnded(window, at: now)
                : state.controller.pressureChecked(window.pressure, size: window.size, at: now)
            return (action, state.controller, before != .open && state.controller.breaker == .open)
        }
    }
}

/// State of one activation, shared by the pool and its governor.
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
