import ElasticPool
import GStreamer
import MachineSensors
import MachineState
import PoolPolicy
import Threads

/// Governs one activation of a pool: reads the pool and the machine, decides, resizes, and posts messages.
///
/// The governor runs on its own thread, because it allocates buffers.
struct PoolGovernor: ~Copyable {
    /// Longest time until heat, short memory or a new setting takes effect, even if a window is longer.
    static let checkInterval = Duration.milliseconds(500)

    private let pool: AdaptiveBufferPool
    private let run: PoolRun
    private let began = MonotonicClock.now
    private var windowBegan: Duration
    private var lastCheck: Duration
    private var countsAtWindow = PoolCounts()
    private var sensing: MachineSensors.Use?
    /// Whether the resize message of this window was posted; there is at most one per window.
    private var hasPosted = false
    private var limitWatch = LimitWatch()

    init(_ pool: AdaptiveBufferPool, _ run: PoolRun) {
        self.pool = pool
        self.run = run
        windowBegan = began
        lastCheck = began
    }

    deinit { if let sensing { run.sensors.endUse(sensing) } }

    /// Runs until the pool is stopped.
    mutating func work() {
        // Starts the sensors early, because their first reading takes time.
        _ = pressure(run.settings, began)
        while run.alarm.sleep(for: pause), check() {}
    }

    private var pause: Duration {
        let left = run.settings.window - (MonotonicClock.now - windowBegan)
        return min(max(left, .zero), Self.checkInterval)
    }

    /// Checks the pool once; returns false if the run has ended: the pool was stopped, and perhaps started again.
    private mutating func check() -> Bool {
        let now = MonotonicClock.now
        let settings = run.settings
        let isWindowOver = now - windowBegan >= settings.window
        let counts = isWindowOver ? pool.elastic.endWindow() : pool.counts
        let window = PoolWindow(
            size: counts.size, peakInUse: counts.peakInWindow,
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
        limitWatch.checked(pool, run, counts, finalCap: rules.finalCap, at: time)
        if let owner = run.owner { owner.report.postContradictions(of: settings, from: owner.host) }
        if isWindowOver {
            windowBegan = now
            countsAtWindow = counts
            hasPosted = false
        }
        return true
    }

    /// Conditions of the machine that the settings enable; the sensors run only while a condition is enabled.
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

    private func carryOut(_ decision: AdaptiveBufferPool.Decision, _ settings: AdaptivePoolSettings) {
        let limit = decision.controller.limit
        if case .resize(let size, _) = decision.action {
            pool.elastic.resize(to: size, limit: limit, in: run.activation)
        }
        pool.elastic.allow(upTo: limit, whenEmpty: settings.onEmpty, in: run.activation)
    }

    private mutating func record(
        _ decision: AdaptiveBufferPool.Decision, _ counts: PoolCounts, _ now: Duration, isWindowOver: Bool
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
        pool.postResize(run, change, after, forecast: decision.controller.forecast)
    }
}

extension PoolPressure {
    /// Converts the states of the machine; an unknown state counts as enough memory and no heat.
    init(_ memory: MemoryState, _ heat: ThermalLevel, _ shrinksOn: AdaptivePoolSettings.MachineConditions) {
        self = .none
        isMemoryShort = shrinksOn.memory && memory == .short
        isHot = shrinksOn.heat && heat >= .serious
    }
}

/// Posts a warning that names the holder of the buffers, when a pool has reached a limit.
///
/// The warnings about two conditions have separate intervals: the stream waits at a limit that the user has set, or
/// the automatic limit was raised because no buffer was released.
struct LimitWatch {
    /// Time in which the oldest buffer may pass a probe; afterwards the warning names the probable holder.
    private static let patience: Duration = .milliseconds(500)

    private enum Condition { case waits, raised }

    private var search: (watch: HolderWatch, condition: Condition, began: Duration)?
    private var paces: (waits: WarningPace, raised: WarningPace) = (WarningPace(), WarningPace())
    private var raises: UInt64 = 0
    /// Number of acquires, and the time since which this number is constant while an acquire waits.
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
        // No buffer is released before a raise, so the element that holds the buffers now held them before the raise.
        let (isRaised, host) = (condition == .raised, owner.host)
        let holder =
            isRaised
            ? watch.holderOfMost(downstreamOf: host)
            : watch.holderOfOldest(downstreamOf: host, guesses: isLastCheck)
        guard isLastCheck || (isRaised ? holder?.hasEvidence : holder?.isCertain) == true else { return }
        let part = isRaised ? "most of them" : "the oldest"
        let text = holder.map { "; \($0.element) \($0.isCertain ? "" : "probably ")holds \(part)" } ?? ""
        post(pool, run, counts, condition, text, now)
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
