import GStreamer
import StreamControl

/// What the machine is.
enum Machine {
    /// Judged by its processors, its memory and its highest frequency; reads files.
    static func tier(systemRoot: String) -> DeviceTier {
        func text(_ path: String) -> String? {
            (try? SmallFile.read(path, atMost: 65_536)).map { String(decoding: $0, as: UTF8.self) }
        }
        let processes = systemRoot.hasSuffix("/sys") ? String(systemRoot.dropLast(4)) + "/proc" : "/proc"
        // In kilohertz.
        let frequency = text(systemRoot + "/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
            .flatMap { UInt64($0.prefix { $0 != "\n" }) }
        return DeviceTier.judge(
            processors: TaskTeam.processorCount,
            memoryBytes: text(processes + "/meminfo").flatMap(DeviceTier.memoryBytes),
            hertz: frequency.flatMap { $0 < 1 << 50 ? $0 * 1000 : nil })
    }
}
