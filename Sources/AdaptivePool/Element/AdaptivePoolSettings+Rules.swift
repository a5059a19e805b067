import GStreamer
import ElasticPool
import MachineSensors
import PoolPolicy

extension PoolRules {
    /// One buffer is filled, one waits, and one is shown.
    static let tripleBuffering = 3
}

extension AdaptivePoolSettings {
    /// The states of the machine that shrink the pool.
    struct MachineStates: Equatable {
        var memory = true
        var heat = true
    }

    /// The folders that stand for `/sys` and `/proc`.
    var machineRoot: MachineRoot { sensorRoot.map(MachineRoot.init(folder:)) ?? .machine }

    /// The properties that are rules of `PoolController`.
    static let rulesOfPolicy: [Property<Self>] = [
        .double(
            "grow-threshold", \.rules.growThreshold, in: 0.05...1,
            "Grow when more than this share of the buffers will be in use"),
        .double(
            "shrink-threshold", \.rules.shrinkThreshold, in: 0...1,
            "Shrink when less than this share of the buffers will be in use"),
        .uint32(
            "grow-windows", \.rules.growWindows, in: 1...1000,
            "How many windows in a row must agree before the pool grows"),
        .uint32(
            "shrink-windows", \.rules.shrinkWindows, in: 1...1000,
            "How many windows in a row must agree before the pool shrinks"),
        .uint32("grow-step", \.rules.growStep, in: 1...1024, "How many buffers are added at once"),
        .uint32("shrink-step", \.rules.shrinkStep, in: 1...1024, "How many buffers are taken away at once, at most"),
        .duration(
            "resize-interval", \.rules.resizeInterval, in: .zero ... .seconds(3600),
            "The least time between two changes of the size, in nanoseconds"),
        .choice("predictor", \.rules.predictor, "How the need of the next window is guessed"),
        .double("alpha", \.rules.alpha, in: 0.01...1, "How much the newest window counts for ewma and trend"),
    ]

    /// The rules for a stream that requires `needs`.
    func rules(for needs: PoolNeeds) -> PoolRules {
        var rules = rules
        rules.floor = max(minimum, needs.minimum, PoolRules.tripleBuffering)
        rules.cap =
            switch maximum {
            case ..<0: max(PoolRules.automaticCap, needs.minimum)
            case 0: PoolRules.largestCap
            default: max(Int(maximum), needs.minimum)
            }
        rules.cap = min(rules.cap, needs.maximum ?? .max)
        rules.exceedableTo = maximum < 0 ? min(PoolRules.largestCap, needs.maximum ?? .max) : nil
        return rules.sane
    }
}
