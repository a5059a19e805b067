/// Decides the number of buffers of a pool, by pressure of the machine, else by the breaker, else by the forecast.
public struct PoolController: Sendable {
    /// Rules with all values in range.
    public private(set) var rules: PoolRules
    /// Predicted peak number of buffers in use in the next window.
    public private(set) var forecast = 0.0
    /// State of the circuit breaker for stalls.
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
    /// Raises the limit if downstream keeps all buffers; exists as long as the pool.
    private var growthLimit = GrowthLimit()
    /// Replaces `growthLimit` while pressure of the machine forbids growth (a rest).
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

    /// Creates a controller.
    public init(_ rules: PoolRules) {
        self.rules = rules.sane
        predictor = Forecast(self.rules.predictor, alpha: self.rules.alpha)
    }

    /// Applies changed settings.
    public mutating func rulesChanged(_ rules: PoolRules) {
        let rules = rules.sane
        guard rules != self.rules else { return }
        if (rules.predictor, rules.alpha) != (self.rules.predictor, self.rules.alpha) {
            predictor = Forecast(rules.predictor, alpha: rules.alpha)
        }
        self.rules = rules
    }

    /// Returns the action at the end of a window; `now` has any origin and never decreases.
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

    /// Returns the action that pressure or new bounds require before the end of a window, which may last an hour.
    public mutating func pressureChecked(_ pressure: PoolPressure, size: Int, at now: Duration) -> PoolAction {
        if let action = respond(to: pressure, size: size, at: now) { return action }
        guard stallBreaker.state != .open else { return .keep }
        return sizing.bounded(size, mayGrow: !isResting, effective, at: now) ?? .keep
    }

    /// Returns the verdict for an acquire that found no idle buffer when the pool is at its limit.
    public mutating func exhausted(_ exhaustion: GrowthLimit.Exhaustion) -> GrowthLimit.Verdict {
        let before = limit
        let verdict =
            isResting
            ? restingLimit.exhausted(exhaustion, limit: before, finalCap: rules.finalCap)
            : growthLimit.exhausted(exhaustion, limit: before, finalCap: rules.finalCap)
        if limit > before { raises += 1 }
        return verdict
    }

    /// The cap; if there is no cap, the largest of the automatic cap, the size and twice the peak, to limit the memory.
    private func sizeWhileBreakerIsOpen(_ window: PoolWindow) -> Int {
        let cap = effective.cap
        if cap < PoolRules.largestCap { return cap }
        return min(max(PoolRules.automaticCap, window.size, window.peakInUse * 2), cap)
    }

    /// Action that pressure requires; nil if the breaker and the forecast decide.
    private mutating func respond(to pressure: PoolPressure, size: Int, at now: Duration) -> PoolAction? {
        if let end = restsUntil, now >= end { restsUntil = nil }
        if pressure.isMemoryShort {
            return rest(from: size, at: rules.floor, for: rules.restWhenShort, because: .memoryPressure, now)
        }
        if pressure.isHot {
            let hot = max(rules.floor, min(rules.sizeWhenHot, rules.cap))
            return rest(from: size, at: hot, for: rules.restWhenHot, because: .thermal, now)
        }
        // During a rest the pool must not grow, as an open breaker would require.
        return isResting && stallBreaker.state == .open ? .keep : nil
    }

    private mutating func rest(
        from before: Int, at size: Int, for time: Duration, because reason: ResizeReason, _ now: Duration
    ) -> PoolAction {
        if !isResting { restingLimit = GrowthLimit() }
        restsUntil = max(now + time, restsUntil ?? .zero)
        restingSize = size
        // Downstream keeps `raised` buffers. In a smaller pool, each frame would free and allocate a buffer.
        let size = max(size, restingLimit.raised)
        guard before > size else { return .keep }
        sizing.resized(at: now)
        return .resize(to: size, because: reason)
    }
}

/// Grows or shrinks a pool when a number of consecutive windows require the same change.
struct PoolSizing: Sendable {
    private var windowsAbove = 0
    private var windowsBelow = 0
    private var lastResize: Duration?

    public init() {}

    /// Returns the action at the end of a window; `forecast` is the predicted peak of the next window.
    public mutating func windowEnded(
        size: Int, forecast: Double, mayGrow: Bool, rules: PoolRules, at now: Duration
    ) -> PoolAction {
        if let action = bounded(size, mayGrow: mayGrow, rules, at: now) { return action }
        count(forecast, of: size, rules)
        if let lastResize, now - lastResize < rules.resizeInterval { return .keep }
        if windowsAbove >= rules.growWindows, mayGrow, size < rules.cap {
            return resized(to: min(size + rules.growStep, rules.cap), because: .forecast, at: now)
        }
        if windowsBelow >= rules.shrinkWindows, size > rules.floor {
            // A smaller pool would have to grow again at once.
            let comfortable = Int((forecast / rules.growThreshold).rounded(.up))
            let target = max(size - rules.shrinkStep, rules.floor, comfortable)
            if target < size { return resized(to: target, because: .idle, at: now) }
        }
        return .keep
    }

    /// The resize to a bound that a setting has changed, regardless of the resize interval; nil if none is necessary.
    public mutating func bounded(_ size: Int, mayGrow: Bool, _ rules: PoolRules, at now: Duration) -> PoolAction? {
        if size > rules.cap { return resized(to: rules.cap, because: .settings, at: now) }
        if size < rules.floor && mayGrow { return resized(to: rules.floor, because: .settings, at: now) }
        return nil
    }

    /// Records a resize at the time `now`, so that earlier windows no longer count.
    public mutating func resized(at now: Duration) {
        windowsAbove = 0
        windowsBelow = 0
        lastResize = now
    }

    private mutating func count(_ forecast: Double, of size: Int, _ rules: PoolRules) {
        let (all, isAbove) = (Double(size), forecast > rules.growThreshold * Double(size))
        windowsAbove = isAbove ? windowsAbove + 1 : 0
        windowsBelow = !isAbove && forecast < rules.shrinkThreshold * all ? windowsBelow + 1 : 0
    }

    private mutating func resized(to size: Int, because reason: ResizeReason, at now: Duration) -> PoolAction {
        // A pool that stays idle shrinks step by step without a new count of windows.
        let below = reason == .idle ? windowsBelow : 0
        resized(at: now)
        windowsBelow = below
        return .resize(to: size, because: reason)
    }
}

/// A circuit breaker: stops adaptation while a pool stalls too often, and tries to adapt again later.
///
/// Each failed trial doubles the time to the next trial.
public struct StallBreaker: Sendable {
    /// State of the breaker; the raw value is the field `breaker` of the property `stats`.
    public enum State: String, Sendable {
        /// The pool adapts.
        case closed
        /// The pool has the size of its limit and does not adapt.
        case open
        /// The pool adapts again, as a trial.
        case halfOpen = "half-open"
    }

    /// Share of acquires that may stall: 10 % (promised in docs/elements/adaptivepool.md).
    static let tolerance = 0.1
    /// Time for which a larger share of stalls is tolerated (promised in docs/elements/adaptivepool.md).
    static let patience: Duration = .seconds(5)
    /// Time for which the breaker is open at first (promised in docs/elements/adaptivepool.md).
    static let shortestRest: Duration = .seconds(30)
    /// Longest time for which the breaker is open, after three failed trials: 4 min.
    static let longestRest = shortestRest * 8

    /// State of the breaker.
    public private(set) var state = State.closed
    private var stallingSince: Duration?
    private var changed: Duration = .zero
    private var rest = Self.shortestRest

    public init() {}

    /// Returns the new state at the end of a window of duration `length`.
    public mutating func windowEnded(acquires: Int, stalls: Int, length: Duration, at now: Duration) -> State {
        if Double(stalls) > Self.tolerance * Double(acquires) {
            stallingSince = stallingSince ?? now - length
        } else if acquires > 0 {
            stallingSince = nil
        }
        let isFailing = stallingSince.map { now - $0 >= Self.patience } ?? false
        switch state {
        case .closed where isFailing:
            open(at: now)
        case .halfOpen where isFailing:
            rest = min(rest * 2, Self.longestRest)
            open(at: now)
        case .halfOpen where now - changed >= Self.patience * 2:
            state = .closed
            rest = Self.shortestRest
        case .open where now - changed >= rest:
            state = .halfOpen
            changed = now
            stallingSince = nil
        default: break
        }
        return state
    }

    private mutating func open(at now: Duration) {
        state = .open
        changed = now
        stallingSince = nil
    }
}

/// Predicts the peak of a window from the windows before it.
public struct Forecast: Sendable {
    /// Kind of prediction.
    public let predictor: Predictor
    private let alpha: Double
    private var level: Double?
    private var slope = 0.0
    // For `ar1`: exponentially weighted moments.
    private var mean = 0.0
    private var variance = 0.0
    private var covariance = 0.0
    private var last = 0.0

    /// Weight of the newest window for the moments of `ar1`, which thus cover about 20 windows.
    private static let momentGain = 0.05

    /// Creates a forecast; `alpha` is the weight of the newest window for `ewma` and `trend`.
    public init(_ predictor: Predictor, alpha: Double) {
        self.predictor = predictor
        self.alpha = alpha
    }

    /// Returns the predicted peak of the next window at the end of a window with the peak `peak`.
    public mutating func windowEnded(peak: Int) -> Double {
        let observed = Double(peak)
        guard let level else {
            self.level = observed
            mean = observed
            last = observed
            return observed
        }
        switch predictor {
        case .none:
            return observed
        case .ewma:
            let next = level + (alpha * (observed - level))
            self.level = next
            return next
        case .ar1:
            let (deviation, before) = (observed - mean, last - mean)
            covariance += Self.momentGain * ((deviation * before) - covariance)
            variance += Self.momentGain * ((before * before) - variance)
            mean += Self.momentGain * deviation
            last = observed
            let correlation = variance > 0 ? min(max(covariance / variance, 0), 1) : 0
            return mean + (correlation * (observed - mean))
        case .trend:
            // Holt's linear method, with one weight for level and slope.
            let next = (alpha * observed) + ((1 - alpha) * (level + slope))
            slope += alpha * ((next - level) - slope)
            self.level = next
            return max(observed, next + slope)
        }
    }
}
