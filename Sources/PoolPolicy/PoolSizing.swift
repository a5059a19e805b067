/// Grows and shrinks a pool after enough consecutive windows agree.
public struct PoolSizing: Sendable {
    private var windowsAbove = 0
    private var windowsBelow = 0
    private var lastResize: Duration?

    public init() {}

    /// Called at the end of a window; `forecast` is the peak that the next window is expected to have.
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
            // Below this size the pool would have to grow again at once.
            let comfortable = Int((forecast / rules.growThreshold).rounded(.up))
            let target = max(size - rules.shrinkStep, rules.floor, comfortable)
            if target < size { return resized(to: target, because: .idle, at: now) }
        }
        return .keep
    }

    /// Returns to the bounds when settings have moved them past the size, regardless of the resize interval.
    public mutating func bounded(_ size: Int, mayGrow: Bool, _ rules: PoolRules, at now: Duration) -> PoolAction? {
        if size > rules.cap { return resized(to: rules.cap, because: .settings, at: now) }
        if size < rules.floor && mayGrow { return resized(to: rules.floor, because: .settings, at: now) }
        return nil
    }

    /// Called when the pool was resized for another reason, after which earlier windows no longer count.
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
        // A pool that stays idle shrinks step by step without counting windows again.
        let below = reason == .idle ? windowsBelow : 0
        resized(at: now)
        windowsBelow = below
        return .resize(to: size, because: reason)
    }
}
