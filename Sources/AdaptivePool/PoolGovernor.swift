import ElasticPool
import GStreamer
import MachineSensors
import MachineState
import PoolPolicy
import Threads

/// Governs one activation of a pool: reads the pool and the machine, decides, resizes, and posts messages.
///
/// Runs on a thread of its own, because it makes buffers.
struct PoolGovernor: ~Copyable {
    /// Longest time until heat, short memory or a new setting has an effect, even if a window lasts longer.
    static let checkInterval = Duration.milliseconds(500)

    private let pool: AdaptiveBufferPool
    private let run: PoolRun
    private let began = MonotonicClock.now
    private var windowBegan: Duration
    private var lastCheck: Duration
    private var countsAtWindow = PoolCounts()
    private var sensing: MachineSensors.Use?
    /// At most one message is posted per window.
    private var hasPosted = false
    private var limitWatch = LimitWatch()

    init(_ pool: AdaptiveBufferPool, _ run: PoolRun) {
        self.pool = pool
        self.run = run
        windowBegan = began
        lastCheck = began
    }

    deinit { if let sensing { run.sensors.endUse(sensing) } }

    /// Returns when the pool is stopped.
    mutating func work() {
        // Starts the sensors: their first reading takes a moment.
        _ = pressure(run.settings, began)
        while run.alarm.sleep(for: pause), check() {}
    }

    private var pause: Duration {
        let left = run.settings.window - (MonotonicClock.now - windowBegan)
        return min(max(left, .zero), Self.checkInterval)
    }

    /// Returns false when the run is over: the pool was stopped, and perhaps started again.
    private mutating func check() -> Bool {
        let now = MonotonicClock.now
        let settings = run.settings
        let isWindowOver = now - windowBegan >= settings.window
        let counts = isWindowOver ? pool.elastic.endWindow() : pool.counts
        let window = PoolWindow(
            size: counts.size, peakInUse: counts.peakInWindow, inUse: counts.inUse,
            acquires: Int(clamping: counts.acquires &- countsAtWindow.acquires),
            stalls: Int(clamping: counts.stalls &- countsAtWindow.stalls), pressure: pressure(settings, now))
        let rules = settings.rules(for: run.needs)
        let time = now - began
        guard let decision = pool.decide(run, window, isWindowOver: isWindowOver, rules, at: time) else { return false }
        carryOut(decision, settings)
        record(decision, counts, now, isWindowOver: isWindowOver)
        if decision.hasOpenedBreaker {
            pool.postBreaker(run, pool.counts.size, isLimitOfUser: rules.exceedableTo == nil)
        }
        limitWatch.checked(pool, run, counts, finalCap: rules.sane.finalCap, at: time)
        if let owner = run.owner { owner.report.postContradictions(of: settings, from: owner.host) }
        if isWindowOver {
            windowBegan = now
            countsAtWindow = counts
            hasPosted = false
        }
        return true
    }

    /// The conditions of the machine that the settings enable; the sensors run only while one is enabled.
    private mutating func pressure(_ settings: AdaptivePoolSettings, _ now: Duration) -> PoolPressure {
        guard settings.shrinksOn.memory || settings.shrinksOn.heat else {
            if let sensing { run.sensors.endUse(sensing) }
            sensing = nil
            return .none
        }
        if sensing == nil { sensing = run.sensors.beginUse() }
        let (memory, heat) = run.sensors.state(now: now)
        return PoolPressure(memory, heat, settings.shrinksOn)
    }

    private func carryOut(_ decision: PoolDecision, _ settings: AdaptivePoolSettings) {
        if case .resize(let size, _) = decision.action {
            pool.elastic.resize(to: size, limit: decision.limit, in: run.activation)
        }
        pool.elastic.allow(upTo: decision.limit, whenEmpty: settings.onEmpty, in: run.activation)
    }

    private mutating func record(
        _ decision: PoolDecision, _ counts: PoolCounts, _ now: Duration, isWindowOver: Bool
    ) {
        let after = pool.counts
        let length = now - lastCheck
        lastCheck = now
        let change: PoolLedger.Change? = pool.state.withLock { state in
            state.ledger.observed(size: counts.size, bytesInBuffer: counts.bytesInBuffer, for: length)
            state.ledger.ordered(decision.action, at: counts.size)
            guard !hasPosted else { return nil }
            return isWindowOver
                ? state.ledger.settled(size: after.size, after: decision.action)
                : state.ledger.settled(from: counts.size, to: after.size, after: decision.action)
        }
        guard let change else { return }
        hasPosted = true
        pool.postResize(run, change, after, decision)
    }
}

extension PoolPressure {
    /// An unknown state is neither short memory nor heat.
    init(_ memory: MemoryState, _ heat: ThermalLevel, _ shrinksOn: AdaptivePoolSettings.MachineConditions) {
        self.init(isMemoryShort: shrinksOn.memory && memory == .short, isHot: shrinksOn.heat && heat >= .serious)
    }
}
