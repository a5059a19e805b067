import GStreamer
import StreamControl

/// What the machine is, by its processors, and by its memory and highest frequency where they are known.
struct Machine {
    private var memoryBytes: UInt64?
    private var hertz: UInt64?

    init() {}

    /// Reads two files below what stands for `/sys` and `/proc`.
    init(system: String, processes: String, read: (String) -> String?) {
        memoryBytes = read(processes + "/meminfo").flatMap(DeviceTier.memoryBytes)
        // In kilohertz.
        hertz = read(system + "/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
            .flatMap { UInt64($0.prefix { $0 != "\n" }) }
            .flatMap { $0 < 1 << 50 ? $0 * 1000 : nil }
    }

    var tier: DeviceTier {
        DeviceTier.judge(processors: TaskTeam.processorCount, memoryBytes: memoryBytes, hertz: hertz)
    }
}
