/// Thresholds and steps by which a pool grows and shrinks.
///
/// The defaults gave the best result with the published load in `Benchmarks pool`.
public struct PoolRules: Sendable, Equatable {
    /// Minimum number of buffers: three, or the number that the elements of the stream require.
    public var floor = 3
    /// Maximum number of buffers.
    public var cap = Self.automaticCap
    /// Number of buffers up to which `GrowthLimit` may raise the cap; nil if the cap is final.
    public var exceedableTo: Int?
    /// The pool grows if the forecast is above this share of its buffers.
    public var growThreshold = 0.9
    /// The pool shrinks if the forecast is below this share of its buffers.
    public var shrinkThreshold = 0.7
    /// Number of consecutive windows above the threshold before the pool grows; with 2, one outlier has no effect.
    public var growWindows = 2
    /// Number of consecutive windows below the threshold before the pool shrinks.
    public var shrinkWindows = 1
    /// Maximum number of buffers by which the pool grows at once.
    public var growStep = 4
    /// Maximum number of buffers by which the pool shrinks at once; fewer if it would have to grow again immediately.
    public var shrinkStep = 12
    /// Minimum time between two changes of the size.
    public var resizeInterval: Duration = .seconds(1)
    /// Predictor of the peak of the next window.
    public var predictor = Predictor.none
    /// Weight of the newest window for `ewma` and `trend`.
    public var alpha = 0.3
    /// Number of buffers while the machine is hot.
    public var sizeWhenHot = 4
    /// Time for which the pool does not grow after the machine was hot.
    var restWhenHot: Duration = .seconds(30)
    /// Time for which the pool does not grow after memory was short.
    var restWhenShort: Duration = .seconds(10)

    public init() {}

    /// The same rules with all values in range and without contradictions, for any values that the properties accept.
    public var sane: PoolRules {
        var rules = self
        rules.cap = min(max(cap, 1), Self.largestCap)
        // The floor takes precedence over a cap that is not final.
        if exceedableTo != nil { rules.cap = max(rules.cap, min(floor, finalCap, Self.largestCap)) }
        rules.exceedableTo = exceedableTo.map { min($0, Self.largestCap) }
        rules.floor = min(max(floor, 1), rules.cap)
        rules.growThreshold = max(Self.share(growThreshold), 0.05)
        rules.shrinkThreshold = min(Self.share(shrinkThreshold), rules.growThreshold)
        rules.growWindows = max(growWindows, 1)
        rules.shrinkWindows = max(shrinkWindows, 1)
        rules.growStep = min(max(growStep, 1), Self.largestCap)
        rules.shrinkStep = min(max(shrinkStep, 1), Self.largestCap)
        rules.alpha = Self.share(alpha)
        rules.sizeWhenHot = max(sizeWhenHot, 1)
        return rules
    }

    /// Upper bound of the cap.
    public var finalCap: Int { max(cap, exceedableTo ?? cap) }

    /// Initial cap if the user sets none (promised in docs/elements/adaptivepool.md).
    public static let automaticCap = 16

    /// Value of `cap` if there is no cap: more buffers than any stream holds.
    public static let largestCap = 65_536

    /// Clamps `value` to 0...1; NaN becomes 1.
    private static func share(_ value: Double) -> Double { value.isNaN ? 1 : min(max(value, 0), 1) }
}
