import PoolPolicy

extension PoolRules {
    /// The rules of the published reference, for comparison.
    package static var published: PoolRules {
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
}
