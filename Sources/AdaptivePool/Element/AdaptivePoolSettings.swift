import ElasticPool
import GStreamer
import PoolPolicy

/// The properties of `adaptivepool`.
struct AdaptivePoolSettings: ElementSettings {
    typealias Report = AdaptivePoolReport
    static let defaultFlags = PropertyFlags.anyTime

    var minimum = PoolRules.tripleBuffering
    /// Negative for automatic, 0 for no limit.
    var maximum: Int32 = -1
    var window = Duration.milliseconds(500)
    /// `PoolController` has the defaults.
    var rules = PoolRules()
    var prewarms = true
    var onEmpty = WhenEmpty.grow
    var isEnabled = true
    var respects = MachineStates()
    var sensorRoot: String?
    var prefer = Preference.auto
    var memory = PoolMemory.system
    var isForced = false

    static let properties: [Property<Self>] =
        [
            .uint32(
                "min-buffers", \.minimum, in: 1...1024,
                "The least number of buffers; three or more, and what the stream's elements ask for, go before it"),
            .int32(
                "max-buffers", \.maximum, in: -1...65_536,
                "The largest number of buffers (-1 = automatic: 16, and more when downstream keeps them; 0 = no limit); "
                    + "only a number set here blocks the stream"),
            .duration(
                "window", \.window, in: .milliseconds(10) ... .seconds(3600),
                "How long the buffers in use are watched before a decision, in nanoseconds"),
        ] + rulesOfPolicy + [
            .bool(
                "prewarm", \.prewarms,
                "Make the least number of buffers, and their memory present, before the first frame",
                flags: .beforeStart),
            .choice("on-empty", \.onEmpty, "What to do when no buffer is idle"),
            .bool(
                "enabled", \.isEnabled,
                "Whether the pool adapts; if not, upstream is offered a stock pool of max-buffers, all made at once, or "
                    + "a stock pool without a limit when max-buffers is automatic", flags: .beforeStart),
            .bool("memory-pressure", \.respects.memory, "Shrink to the least number of buffers when memory is short"),
            .bool(
                "thermal", \.respects.heat, "Shrink to four buffers when the machine is hot, and rest for half a minute"
            ),
            .string(
                "sensor-root", \.sensorRoot,
                "Folder that contains proc and sys, for tests (NULL = the root of the file system)", flags: .beforeStart
            ),
            .choice("prefer", \.prefer, "Whose pool upstream is offered when downstream has one", flags: .beforeStart),
            .choice("memory", \.memory, "Where frames are kept", flags: .beforeStart),
            .bool("force", \.isForced, "Copy frames that upstream made elsewhere into buffers of the pool"),
        ] + AdaptivePoolReport.properties
}
