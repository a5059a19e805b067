import MachineState
import Threads

/// Memory and highest clock frequency of the machine, if known.
struct Processors: Sendable {
    private var memoryBytes: UInt64?
    private var hertz: UInt64?

    init() {}

    init(_ root: MachineRoot, read: (String) -> String?) {
        memoryBytes = read(root.processes + "/meminfo").flatMap(DeviceTier.memoryBytes)
        // The file is in kilohertz.
        hertz = read(root.system + "/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
            .flatMap { UInt64($0.prefix { $0 != "\n" }) }
            .flatMap { $0 < 1 << 50 ? $0 * 1000 : nil }
    }

    var tier: DeviceTier {
        DeviceTier.judge(processors: TaskTeam.processorCount, memoryBytes: memoryBytes, hertz: hertz)
    }
}
