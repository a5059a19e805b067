import MachineState

/// Decides how large a pool should be.
///
/// Told once per window what the pool went through; what goes on in the machine comes first, then the breaker, then the
/// forecast.
public struct PoolController: Sendable {
    public private(set) var rules: PoolRules
    /// How many buffers the next window will need at most.
    public private(set) var forecast = 0.0
    public var breaker: StallBreaker.State { stallBreaker.state }
    /// How far the pool may grow by itself when none is idle and nobody can wait.
    public var mayGrowTo: Int { isResting ? max(rules.floor, restingSize, restingLimit.raised) : effective.cap }

    /// How often the limit was raised because no buffer came back.
    public private(set) var raises: UInt64 = 0

    private var predictor: Forecast
    private var sizing = PoolSizing()
    private var stallBreaker = StallBreaker()
    private var restsUntil: Duration?
    private var restingSize = 0
    /// What downstream was found to keep, as long as the pool lives and as long as it rests.
    private var growthLimit = GrowthLimit()
    private var restingLimit = GrowthLimit()
    private var lastWindow: Duration = .zero

    private var isResting: Bool { restsUntil != nil }

    /// The rules with the cap that experience has raised.
    private var effective: PoolRules {
        var rules = rules
        rules.cap = min(max(rules.cap, growthLimit.raised), rules.finalCap)
        return rules
    }

    public init(_ rules: PoolRules) {
        self.rules = rules.sane
        predictor = Forecast(self.rules.predictor, alpha: self.rules.alpha)
    }

    /// Called when the settings change.
    public mutating func rulesChanged(_ rules: PoolRules) {
        let rules = rules.sane
        guard rules != self.rules else { return }
        if (rules.predictor, rules.alpha) != (self.rules.predictor, self.rules.alpha) {
            predictor = Forecast(rules.predictor, alpha: rules.alpha)
        }
        self.rules = rules
    }

    /// Called at the end of a window; `now` counts from any moment, but never back.
    public mutating func windowEnded(_ window: PoolWindow, at now: Duration) -> PoolAction {
        let length = now - lastWindow
        lastWindow = now
        forecast = predictor.windowEnded(peak: window.peakInUse)
        let before = stallBreaker.state
        let breaker = stallBreaker.windowEnded(
            acquires: window.acquires, stalls: window.stalls, length: length, at: now)

        if let action = restEnforced(window.size, window.memory, window.heat, at: now) { return action }
        if breaker == .open {
            let large = large(window)
            guard before != .open || window.size < large else { return .keep }
            sizing.resized(at: now)
            return window.size == large ? .keep : .resize(to: large, because: .breaker)
        }
        return sizing.windowEnded(
            size: window.size, forecast: forecast, mayGrow: !isResting, rules: effective, at: now)
    }

    /// Called when an acquire finds no idle buffer and the pool is as large as it may be.
    public mutating func stoodStill(_ standstill: GrowthLimit.Standstill) -> GrowthLimit.Verdict {
        let before = mayGrowTo
        let verdict =
            isResting
            ? restingLimit.stoodStill(standstill, limit: before, finalCap: rules.finalCap)
            : growthLimit.stoodStill(standstill, limit: before, finalCap: rules.finalCap)
        if mayGrowTo > before { raises += 1 }
        return verdict
    }

    /// Called between the ends of windows, which may be far apart, for what cannot wait until then.
    public mutating func looked(
        size: Int, memory: MemoryState, heat: ThermalLevel, at now: Duration
    ) -> PoolAction {
        if let action = restEnforced(size, memory, heat, at: now) { return action }
        guard stallBreaker.state != .open else { return .keep }
        return sizing.bounded(size, mayGrow: !isResting, effective, at: now) ?? .keep
    }

    /// The size of the pool while the breaker is open.
    ///
    /// Without a cap "as large as it may be" would be all the memory there is: then twice what is in use will do.
    private func large(_ window: PoolWindow) -> Int {
        let cap = effective.cap
        if cap < PoolRules.largestCap { return cap }
        return min(max(PoolRules.largeSize, window.size, window.peakInUse * 2), cap)
    }

    /// Heat and shortage of memory; unknown counts as neither good nor bad.
    private mutating func restEnforced(
        _ size: Int, _ memory: MemoryState, _ heat: ThermalLevel, at now: Duration
    ) -> PoolAction? {
        if let end = restsUntil, now >= end { restsUntil = nil }
        if memory == .short {
            return rest(from: size, at: rules.floor, for: rules.restWhenShort, because: .memoryPressure, now)
        }
        if heat >= .serious {
            let hot = max(rules.floor, min(rules.sizeWhenHot, rules.cap))
            return rest(from: size, at: hot, for: rules.restWhenHot, because: .thermal, now)
        }
        // Until the rest is over the pool may still shrink as idle buffers allow, but not grow.
        return isResting && stallBreaker.state == .open ? .keep : nil
    }

    private mutating func rest(
        from before: Int, at size: Int, for time: Duration, because reason: ResizeReason, _ now: Duration
    ) -> PoolAction {
        if !isResting { restingLimit = GrowthLimit() }
        restsUntil = max(now + time, restsUntil ?? .zero)
        restingSize = size
        // Buffers that downstream keeps would only be freed and made anew with each frame.
        let size = max(size, restingLimit.raised)
        guard before > size else { return .keep }
        sizing.resized(at: now)
        return .resize(to: size, because: reason)
    }
}
