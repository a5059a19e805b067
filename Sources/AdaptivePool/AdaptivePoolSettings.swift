import ElasticPool
import GStreamer
import MachineSensors
import PoolPolicy

struct AdaptivePoolSettings: ElementSettings {
    typealias Report = AdaptivePoolReport
    static let defaultFlags = PropertyFlags.anyTime

    var minimum = PoolRules.tripleBuffering
    /// Maximum number of buffers; negative for automatic, 0 for no limit.
    var maximum: Int32 = -1
    var window = Duration.milliseconds(500)
    var rules = PoolRules()
    var prewarms = true
    var onEmpty = WhenEmpty.grow
    var isEnabled = true
    var shrinksOn = MachineConditions()
    var sensorRoot: String?
    var prefer = Preference.auto
    var memory = PoolMemory.system
    var isForced = false

    static let properties: [Property<Self>] =
        [
            .uint32(
                "min-buffers", \.minimum, in: 1...1024,
                "Minimum number of buffers (at least 3, and at least the number that other elements require)"),
            .int32(
                "max-buffers", \.maximum, in: -1...65_536,
                "Maximum number of buffers (-1 = automatic: 16, and more if downstream keeps them all; 0 = no limit); "
                    + "only a number greater than 0 can block the stream"),
            .duration(
                "window", \.window, in: .milliseconds(10) ... .seconds(3600),
                "Time over which the buffers in use are measured before each decision, in nanoseconds"),
        ] + rulesOfPolicy + [
            .bool(
                "prewarm", \.prewarms,
                "Allocate the minimum number of buffers, and touch their memory, before the first frame",
                flags: .beforeStart),
            .choice("on-empty", \.onEmpty, "Response to an acquire when no buffer is idle"),
            .bool(
                "enabled", \.isEnabled,
                "Offer the adaptive pool; if false, offer a stock pool of max-buffers, all allocated at the start, or "
                    + "without a limit if max-buffers is -1 or 0", flags: .beforeStart),
            .bool(
                "memory-pressure", \.shrinksOn.memory, "Shrink to the minimum number of buffers when memory is short"),
            .bool(
                "thermal", \.shrinksOn.heat,
                "Shrink to four buffers when the machine is hot, and do not grow for 30 seconds"
            ),
            .string(
                "sensor-root", \.sensorRoot,
                "Folder that contains proc and sys, for tests (NULL = the root of the file system)", flags: .beforeStart
            ),
            .choice(
                "prefer", \.prefer, "Pool that upstream is offered when downstream has one too", flags: .beforeStart),
            .choice("memory", \.memory, "Kind of memory of the buffers", flags: .beforeStart),
            .bool("force", \.isForced, "Copy frames that do not come from the pool into its buffers"),
        ] + AdaptivePoolReport.properties
}

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

    /// Settings that contradict each other: a text with their values and the action of the pool, and a remedy.
    var contradictions: [(text: String, remedy: String)] {
        var found: [(text: String, remedy: String)] = []
        // Only a min-buffers that the user has set contradicts max-buffers; the default does not.
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
