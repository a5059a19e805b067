import ElasticPool
import GStreamer
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
