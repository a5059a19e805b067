import Glibc
import MachineSensors

/// The files of the kernel that list the processors.
enum ProcessorFiles {
    /// For each processor its capacity, or its highest frequency; reads files.
    static func speeds() -> [(processor: Int, value: UInt64)] {
        let numbers = 0..<Int(sysconf(CInt(_SC_NPROCESSORS_CONF)))
        for file in ["cpu_capacity", "cpufreq/cpuinfo_max_freq"] {
            let found = numbers.compactMap { number in
                SystemFiles.text(at: "/sys/devices/system/cpu/cpu\(number)/\(file)")
                    .flatMap { UInt64($0.filter(\.isNumber)) }.map { (processor: number, value: $0) }
            }
            if !found.isEmpty { return found }
        }
        return numbers.map { ($0, 0) }
    }

    /// The numbers of all processors that are online, such as `0-3,6`; reads a file.
    ///
    /// A container may have no `/sys`; `/proc/stat` lists them too. Empty when neither can be read.
    static func online(
        _ path: String = "/sys/devices/system/cpu/online", statistics: String = "/proc/stat"
    ) -> String {
        if let text = SystemFiles.text(at: path) { return text.filter { !$0.isWhitespace } }
        // It grows with the number of interrupts and processors.
        guard let text = SystemFiles.text(at: statistics, atMost: 1 << 20) else { return "" }
        let names = text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        return names.filter { $0.hasPrefix("cpu") && $0.count > 3 }.map { $0.dropFirst(3) }.joined(separator: ",")
    }
}
