/// When a pool grows and shrinks, and how far.
///
/// The defaults are the best that `Benchmarks pool` measured for the published load; `published` is what they beat.
public struct PoolRules: Sendable, Equatable {
    /// Never fewer buffers than this: three, or what the stream's elements ask for.
    public var floor = 3
    /// The largest number of buffers.
    public var cap = Self.automaticCap
    /// How far `GrowthLimit` may raise the cap; nil when the cap is final.
    public var exceedableTo: Int?
    /// Grow when this share of the buffers will be in use.
    public var growThreshold = 0.9
    /// Shrink when less than this share will be.
    public var shrinkThreshold = 0.7
    /// How many windows in a row must agree before the pool grows, so that one outlier does nothing.
    public var growWindows = 2
    /// How many windows in a row must agree before the pool shrinks.
    public var shrinkWindows = 1
    public var growStep = 4
    /// As far as the forecast lets it, in effect; a pool never shrinks so far that it would have to grow at once.
    public var shrinkStep = 12
    /// The least time between two resizes.
    public var resizeInterval: Duration = .seconds(1)
    public var predictor = Predictor.none
    /// How much the newest window counts for `ewma` and `trend`.
    public var alpha = 0.3
    /// How many buffers a hot machine is left with.
    public var sizeWhenHot = 4
    /// How long a pool does not grow once the machine was hot.
    public var restWhenHot: Duration = .seconds(30)
    /// How long a pool does not grow once memory was short.
    public var restWhenShort: Duration = .seconds(10)

    public init() {}

    /// The rules of the published reference, for comparison.
    public static var published: PoolRules {
        var rules = PoolRules()
        rules.floor = 4
        rules.cap = 12
        rules.growThreshold = 0.75
        rules.shrinkThreshold = 0.5
        rules.shrinkWindows = 3
        rules.growStep = 2
        rules.shrinkStep = 1
        rules.predictor = .ewma
        return rules
    }

    /// The same rules with no contradiction left in them: any value a user can set is safe here.
    public var sane: PoolRules {
        var rules = self
        rules.cap = min(max(cap, 1), Self.largestCap)
        // A cap that may be exceeded gives way to the floor.
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

    /// The cap that is never exceeded.
    public var finalCap: Int { max(cap, exceedableTo ?? cap) }

    /// The cap of a pool whose user has set none.
    public static let automaticCap = 16

    /// More buffers than any stream holds; it stands for "no cap".
    public static let largestCap = 65_536

    /// What counts as a large pool where there is no cap.
    static let largeSize = 16

    private static func share(_ value: Double) -> Double { value.isNaN ? 1 : min(max(value, 0), 1) }
}
