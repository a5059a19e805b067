import Glibc
import MachineSensors

/// Files of the kernel that describe the processors.
enum ProcessorFiles {
    /// Capacity of each processor, or its highest frequency, or 0 if neither is known; reads files.
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

    /// Numbers of the processors that are online, such as `0-3,6`; reads a file.
    ///
    /// If `/sys` is missing, as in some containers, they are read from `/proc/stat`. Empty if neither can be read.
    static func online(
        _ path: String = "/sys/devices/system/cpu/online", statistics: String = "/proc/stat"
    ) -> String {
        if let text = SystemFiles.text(at: path) { return text.filter { !$0.isWhitespace } }
        // The file grows with the number of interrupts and processors.
        guard let text = SystemFiles.text(at: statistics, atMost: 1 << 20) else { return "" }
        let names = text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        return names.filter { $0.hasPrefix("cpu") && $0.count > 3 }.map { $0.dropFirst(3) }.joined(separator: ",")
    }
}
