import GStreamer
import ElasticPool
import MachineSensors
import PoolPolicy

extension PoolRules {
    /// One buffer is filled, one is queued, and one is displayed.
    static let tripleBuffering = 3
}

extension AdaptivePoolSettings {
    /// Conditions of the machine that shrink the pool.
    struct MachineConditions: Equatable {
        var memory = true
        var heat = true
    }

    /// Folder that contains `sys` and `proc`.
    var machineRoot: MachineRoot { sensorRoot.map(MachineRoot.init(folder:)) ?? .machine }

    /// Properties that are rules of `PoolController`.
    static let rulesOfPolicy: [Property<Self>] = [
        .double(
            "grow-threshold", \.rules.growThreshold, in: 0.05...1,
            "Grow when more than this share of the buffers will be in use"),
        .double(
            "shrink-threshold", \.rules.shrinkThreshold, in: 0...1,
            "Shrink when less than this share of the buffers will be in use"),
        .uint32(
            "grow-windows", \.rules.growWindows, in: 1...1000,
            "Number of consecutive windows above grow-threshold before the pool grows"),
        .uint32(
            "shrink-windows", \.rules.shrinkWindows, in: 1...1000,
            "Number of consecutive windows below shrink-threshold before the pool shrinks"),
        .uint32("grow-step", \.rules.growStep, in: 1...1024, "Number of buffers added at once"),
        .uint32("shrink-step", \.rules.shrinkStep, in: 1...1024, "Maximum number of buffers removed at once"),
        .duration(
            "resize-interval", \.rules.resizeInterval, in: .zero ... .seconds(3600),
            "Minimum time between two changes of the size, in nanoseconds"),
        .choice("predictor", \.rules.predictor, "How the number of buffers that the next window needs is predicted"),
        .double("alpha", \.rules.alpha, in: 0.01...1, "Weight of the newest window for ewma and trend"),
    ]

    /// Rules for a stream that requires `needs`.
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

    /// Settings that contradict each other: the values and the action of the pool, and a remedy.
    var contradictions: [(text: String, remedy: String)] {
        var found: [(text: String, remedy: String)] = []
        // Only values of the user count, not the default of min-buffers.
        if maximum > 0, minimum > Int(maximum), minimum > PoolRules.tripleBuffering {
            found.append(
                (
                    "min-buffers=\(minimum) is greater than max-buffers=\(maximum); the pool has at most \(maximum) "
                        + "buffers.", "Lower min-buffers, raise max-buffers, or leave max-buffers at -1."
                ))
        }
        if rules.growThreshold < rules.shrinkThreshold {
            found.append(
                (
                    "grow-threshold=\(rules.growThreshold) is less than shrink-threshold=\(rules.shrinkThreshold); "
                        + "the pool uses \(rules.growThreshold) for both.",
                    "Set shrink-threshold to less than grow-threshold."
                ))
        }
        return found
    }
}
