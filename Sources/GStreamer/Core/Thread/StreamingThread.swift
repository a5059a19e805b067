import CGStreamer
import Glibc

/// How much a thread may push others aside.
public enum ThreadPriority: Int32, Sendable, CaseIterable, Equatable {
    /// As any thread.
    case normal
    /// A lower nice value.
    case high
    /// The scheduling policy `SCHED_RR`.
    case realtime
}

/// Scheduling of the calling thread.
///
/// Call it on the thread concerned; nothing here fails for good.
public struct StreamingThread: Sendable {
    /// Below the kernel's own threads, and where audio servers are.
    private static let realtimePriority: gint = 49
    private static let highNiceness: gint = -10

    private let policy: gint
    private let policyPriority: gint
    private let niceness: gint
    private let processors: CgstProcessors?

    /// Remembers how this thread is, so that it can be given back as it was.
    public static func remember() -> Self {
        var priority: gint = 0
        let policy = cgst_thread_policy(&priority)
        var processors = CgstProcessors()
        let hasProcessors = cgst_thread_get_processors(&processors) != 0
        return Self(
            policy: policy, policyPriority: priority, niceness: cgst_thread_niceness(),
            processors: hasProcessors ? processors : nil)
    }

    /// Gives this thread back as it was: threads are shared with others.
    public func restore() {
        _ = cgst_thread_set_policy(policy, policyPriority)
        _ = cgst_thread_set_niceness(niceness)
        if var processors { _ = cgst_thread_set_processors(&processors) }
    }

    /// Asks for `priority`, or what comes nearest, and returns what this thread has now.
    public static func raise(to priority: ThreadPriority) -> ThreadPriority {
        // Children do not inherit it: they may be anything.
        let resetOnFork: gint = 0x4000_0000
        if priority == .realtime, cgst_thread_set_policy(SCHED_RR | resetOnFork, realtimePriority) != 0 {
            return .realtime
        }
        if priority != .normal, cgst_thread_set_niceness(highNiceness) != 0 { return .high }
        return .normal
    }

    /// Keeps this thread on the processors named; false when it may not, or none of them exists.
    public static func keep(on processors: [Int]) -> Bool {
        var set = CgstProcessors()
        for processor in processors where processor >= 0 { cgst_processors_add(&set, guint(processor)) }
        return cgst_thread_set_processors(&set) != 0
    }
}

/// A processor and how fast it can be.
public enum Processors {
    /// For each processor its capacity, or its highest frequency, as the kernel tells it; reads files.
    public static func speeds() -> [(processor: Int, value: UInt64)] {
        let numbers = 0..<Int(sysconf(CInt(_SC_NPROCESSORS_CONF)))
        for file in ["cpu_capacity", "cpufreq/cpuinfo_max_freq"] {
            let found = numbers.compactMap { number in
                read("/sys/devices/system/cpu/cpu\(number)/\(file)").map { (processor: number, value: $0) }
            }
            if !found.isEmpty { return found }
        }
        return numbers.map { ($0, 0) }
    }

    /// The numbers of all processors that are online, such as `0-3,6`; reads a file.
    ///
    /// A container may have no `/sys`; `/proc/stat` lists them too. Empty when neither can be read.
    public static func online(
        _ path: String = "/sys/devices/system/cpu/online", statistics: String = "/proc/stat"
    ) -> String {
        if let bytes = try? SmallFile.read(path, atMost: 4096) {
            return String(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
        }
        guard let bytes = try? SmallFile.read(statistics, atMost: 1 << 20) else { return "" }
        let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
            $0.split(separator: " ").first
        }
        return names.filter { $0.hasPrefix("cpu") && $0.count > 3 }.map { $0.dropFirst(3) }.joined(separator: ",")
    }

    private static func read(_ path: String) -> UInt64? {
        // A file of sysfs says it has 4096 bytes, whatever is in it.
        guard let bytes = try? SmallFile.read(path, atMost: 4096) else { return nil }
        return UInt64(String(decoding: bytes, as: UTF8.self).filter(\.isNumber))
    }
}
