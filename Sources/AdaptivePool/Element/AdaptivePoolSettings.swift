import ElasticPool
import GStreamer
import MachineSensors
import PoolPolicy

/// The properties of `adaptivepool`.
struct AdaptivePoolSettings: ElementSettings {
    typealias Report = AdaptivePoolReport

    var minimum: UInt32 = 3
    /// Negative for automatic, 0 for no limit.
    var maximum: Int32 = -1
    var windowNanoseconds: UInt64 = 500_000_000
    var resizeNanoseconds: UInt64 = 1_000_000_000
    var rules = PoolRules()
    var growWindows: UInt32 = 2
    var shrinkWindows: UInt32 = 1
    var growStep: UInt32 = 4
    var shrinkStep: UInt32 = 12
    var prewarms = true
    var onEmpty = WhenEmpty.grow
    var isEnabled = true
    var respects = Respects()
    var sensorRoot: String?
    var prefer = Preference.auto
    var memory = PoolMemory.system
    var isForced = false

    /// The states of the machine that shrink the pool.
    struct Respects: Equatable {
        var memory = true
        var heat = true
    }

    /// One buffer is filled, one waits, and one is shown.
    static let tripleBuffering = 3

    static let properties: [Property<Self>] =
        [
            .uint32(
                "min-buffers", \.minimum, in: 1...1024,
                "The least number of buffers; three or more, and what the stream's elements ask for, go before it",
                flags: .anyTime),
            .int32(
                "max-buffers", \.maximum, in: -1...65_536,
                "The largest number of buffers (-1 = automatic: 16, and more when downstream keeps them; 0 = no limit); "
                    + "only a number set here blocks the stream",
                flags: .anyTime),
            .uint64(
                "window", \.windowNanoseconds, in: 10_000_000...3_600_000_000_000,
                "How long the buffers in use are watched before a decision, in nanoseconds", flags: .anyTime),
            .double(
                "grow-threshold", \.rules.growThreshold, in: 0.05...1,
                "Grow when more than this share of the buffers will be in use", flags: .anyTime),
            .double(
                "shrink-threshold", \.rules.shrinkThreshold, in: 0...1,
                "Shrink when less than this share of the buffers will be in use", flags: .anyTime),
            .uint32(
                "grow-windows", \.growWindows, in: 1...1000,
                "How many windows in a row must agree before the pool grows",
                flags: .anyTime),
            .uint32(
                "shrink-windows", \.shrinkWindows, in: 1...1000,
                "How many windows in a row must agree before the pool shrinks", flags: .anyTime),
            .uint32("grow-step", \.growStep, in: 1...1024, "How many buffers are added at once", flags: .anyTime),
            .uint32(
                "shrink-step", \.shrinkStep, in: 1...1024, "How many buffers are taken away at once, at most",
                flags: .anyTime),
            .uint64(
                "resize-interval", \.resizeNanoseconds, in: 0...3_600_000_000_000,
                "The least time between two changes of the size, in nanoseconds", flags: .anyTime),
            .choice("predictor", \.rules.predictor, "How the need of the next window is guessed", flags: .anyTime),
            .double(
                "alpha", \.rules.alpha, in: 0.01...1, "How much the newest window counts for ewma and trend",
                flags: .anyTime),
            .bool(
                "prewarm", \.prewarms,
                "Make the least number of buffers, and their memory present, before the first frame",
                flags: .beforeStart),
            .choice("on-empty", \.onEmpty, "What to do when no buffer is idle", flags: .anyTime),
            .bool(
                "enabled", \.isEnabled,
                "Whether the pool adapts; if not, upstream is offered a stock pool of max-buffers, all made at once, or "
                    + "a stock pool without a limit when max-buffers is automatic",
                flags: .beforeStart),
            .bool(
                "memory-pressure", \.respects.memory, "Shrink to the least number of buffers when memory is short",
                flags: .anyTime),
            .bool(
                "thermal", \.respects.heat,
                "Shrink to four buffers when the machine is hot, and rest for half a minute",
                flags: .anyTime),
            .string(
                "sensor-root", \.sensorRoot,
                "Folder that contains proc and sys, for tests (NULL = the root of the file system)", flags: .beforeStart
            ),
            .choice("prefer", \.prefer, "Whose pool upstream is offered when downstream has one", flags: .beforeStart),
            .choice("memory", \.memory, "Where frames are kept", flags: .beforeStart),
            .bool(
                "force", \.isForced, "Copy frames that upstream made elsewhere into buffers of the pool",
                flags: .anyTime),
        ] + AdaptivePoolReport.properties

    /// The folders that stand for `/sys` and `/proc`.
    var machineRoot: MachineRoot { sensorRoot.map(MachineRoot.init(folder:)) ?? .machine }

    var window: Duration { .nanoseconds(Int64(clamping: windowNanoseconds)) }

    /// The rules for a stream that requires `needs`.
    func rules(for needs: PoolNeeds) -> PoolRules {
        var rules = rules
        rules.floor = max(Int(minimum), needs.minimum, Self.tripleBuffering)
        rules.cap =
            switch maximum {
            case ..<0: max(PoolRules.automaticCap, needs.minimum)
            case 0: PoolRules.largestCap
            default: max(Int(maximum), needs.minimum)
            }
        rules.cap = min(rules.cap, needs.maximum ?? .max)
        rules.exceedableTo = maximum < 0 ? min(PoolRules.largestCap, needs.maximum ?? .max) : nil
        rules.growWindows = Int(growWindows)
        rules.shrinkWindows = Int(shrinkWindows)
        rules.growStep = Int(growStep)
        rules.shrinkStep = Int(shrinkStep)
        rules.resizeInterval = .nanoseconds(Int64(clamping: resizeNanoseconds))
        return rules.sane
    }
}
