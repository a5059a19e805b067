/// Decides how many buffers a pool has.
///
/// The order of precedence is: pressure of the machine, the breaker, the forecast.
public struct PoolController: Sendable {
    public private(set) var rules: PoolRules
    /// Largest number of buffers that the next window is expected to use.
    public private(set) var forecast = 0.0
    public var breaker: StallBreaker.State { stallBreaker.state }
    /// Number of buffers up to which an acquire may grow the pool.
    public var limit: Int { isResting ? max(rules.floor, restingSize, restingLimit.raised) : effective.cap }

    /// How often the limit was raised because no buffer was released.
    public private(set) var raises: UInt64 = 0

    private var predictor: Forecast
    private var sizing = PoolSizing()
    private var stallBreaker = StallBreaker()
    private var restsUntil: Duration?
    private var restingSize = 0
    /// Raised when downstream keeps all buffers; lasts as long as the pool.
    private var growthLimit = GrowthLimit()
    /// Replaces `growthLimit` during a rest; lasts as long as the rest.
    private var restingLimit = GrowthLimit()
    private var lastWindow: Duration = .zero

    /// Whether pressure of the machine forbids growth.
    private var isResting: Bool { restsUntil != nil }

    /// The rules with the raised cap.
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

    /// Called at the end of a window; `now` has any origin and never decreases.
    public mutating func windowEnded(_ window: PoolWindow, at now: Duration) -> PoolAction {
        let length = now - lastWindow
        lastWindow = now
        forecast = predictor.windowEnded(peak: window.peakInUse)
        let before = stallBreaker.state
        let breaker = stallBreaker.windowEnded(
            acquires: window.acquires, stalls: window.stalls, length: length, at: now)

        if let action = respond(to: window.pressure, size: window.size, at: now) { return action }
        if breaker == .open {
            let large = sizeWhileBreakerIsOpen(window)
            guard before != .open || window.size < large else { return .keep }
            sizing.resized(at: now)
            return window.size == large ? .keep : .resize(to: large, because: .breaker)
        }
        return sizing.windowEnded(
            size: window.size, forecast: forecast, mayGrow: !isResting, rules: effective, at: now)
    }

    /// Called between the ends of windows, which may be an hour apart, so that pressure and new bounds have an early effect.
    public mutating func pressureChecked(_ pressure: PoolPressure, size: Int, at now: Duration) -> PoolAction {
        if let action = respond(to: pressure, size: size, at: now) { return action }
        guard stallBreaker.state != .open else { return .keep }
        return sizing.bounded(size, mayGrow: !isResting, effective, at: now) ?? .keep
    }

    /// Called when an acquire finds no idle buffer and the pool is at its limit.
    public mutating func exhausted(_ exhaustion: GrowthLimit.Exhaustion) -> GrowthLimit.Verdict {
        let before = limit
        let verdict =
            isResting
            ? restingLimit.exhausted(exhaustion, limit: before, finalCap: rules.finalCap)
            : growthLimit.exhausted(exhaustion, limit: before, finalCap: rules.finalCap)
        if limit > before { raises += 1 }
        return verdict
    }

    /// The cap; without one, twice the number in use, because an unlimited size could take all memory of the machine.
    private func sizeWhileBreakerIsOpen(_ window: PoolWindow) -> Int {
        let cap = effective.cap
        if cap < PoolRules.largestCap { return cap }
        return min(max(PoolRules.largeSize, window.size, window.peakInUse * 2), cap)
    }

    /// The action that pressure requires; nil when the breaker and the forecast decide.
    private mutating func respond(to pressure: PoolPressure, size: Int, at now: Duration) -> PoolAction? {
        if let end = restsUntil, now >= end { restsUntil = nil }
        if pressure.isMemoryShort {
            return rest(from: size, at: rules.floor, for: rules.restWhenShort, because: .memoryPressure, now)
        }
        if pressure.isHot {
            let hot = max(rules.floor, min(rules.sizeWhenHot, rules.cap))
            return rest(from: size, at: hot, for: rules.restWhenHot, because: .thermal, now)
        }
        // During a rest the pool may shrink further, but not grow.
        return isResting && stallBreaker.state == .open ? .keep : nil
    }

    private mutating func rest(
        from before: Int, at size: Int, for time: Duration, because reason: ResizeReason, _ now: Duration
    ) -> PoolAction {
        if !isResting { restingLimit = GrowthLimit() }
        restsUntil = max(now + time, restsUntil ?? .zero)
        restingSize = size
        // Buffers that downstream keeps would be freed and made again for each frame.
        let size = max(size, restingLimit.raised)
        guard before > size else { return .keep }
        sizing.resized(at: now)
        return .resize(to: size, because: reason)
    }
}
