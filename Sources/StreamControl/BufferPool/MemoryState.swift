/// Whether memory is short, as far as anyone can tell.
public enum MemoryState: String, Sendable {
    /// Nobody can tell; it must not count as good news.
    case unknown
    case enough
    case short

    /// Of several witnesses the gravest counts.
    public func and(_ other: MemoryState) -> MemoryState {
        if self == .short || other == .short { return .short }
        return self == .enough || other == .enough ? .enough : .unknown
    }
}

extension MemoryState {
    /// The share of time that some task waited for memory, above which it counts as short.
    static let tolerableWait = 10.0
    /// The share of a control group's limit that may be taken by memory nobody can reclaim.
    static let tolerableUse = 0.95

    /// From `/proc/pressure/memory`, or a control group's `memory.pressure`.
    ///
    /// The format is described in the kernel's `Documentation/accounting/psi.rst`.
    public static func fromPressure(_ text: String) -> MemoryState {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some" else { continue }
            for word in words where word.hasPrefix("avg10=") {
                guard let percent = Double(word.dropFirst("avg10=".count)), percent >= 0 else { return .unknown }
                return percent > tolerableWait ? .short : .enough
            }
        }
        return .unknown
    }

    /// From what a control group uses, may use, and could give back at once: `inactive_file` in its `memory.stat`.
    public static func fromUse(current: String, limit: String, statistics: String) -> MemoryState {
        guard let used = number(current) else { return .unknown }
        // "max" in version 2; version 1 writes a number of pages that no machine has.
        guard let limit = number(limit), limit > 0, limit < 1 << 60 else { return .unknown }
        let reclaimable = field("total_inactive_file", statistics) ?? field("inactive_file", statistics) ?? 0
        let held = used - min(reclaimable, used)
        return Double(held) > tolerableUse * Double(limit) ? .short : .enough
    }

    private static func number(_ text: String) -> UInt64? { UInt64(text.prefix { $0 != "\n" }) }

    private static func field(_ name: String, _ text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return UInt64(words[1]) }
        }
        return nil
    }
}

/// Where a process's control group keeps its files, from `/proc/self/cgroup`.
public struct ControlGroup: Sendable, Equatable {
    /// The folder, below the root of the file system.
    public let folder: String
    /// Version 1 names its files differently and knows no pressure.
    public let isVersion2: Bool

    public init?(_ text: String) {
        var version2: Substring?
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].split(separator: ",").contains("memory") {
                folder = "/sys/fs/cgroup/memory" + Self.path(parts[2])
                isVersion2 = false
                return
            }
            if parts[0] == "0" { version2 = parts[2] }
        }
        guard let version2 else { return nil }
        folder = "/sys/fs/cgroup" + Self.path(version2)
        isVersion2 = true
    }

    private static func path(_ path: Substring) -> String { path == "/" ? "" : String(path) }

    public var usageFile: String { folder + (isVersion2 ? "/memory.current" : "/memory.usage_in_bytes") }
    public var limitFile: String { folder + (isVersion2 ? "/memory.max" : "/memory.limit_in_bytes") }
    public var statisticsFile: String { folder + "/memory.stat" }
    public var pressureFile: String? { isVersion2 ? folder + "/memory.pressure" : nil }
}
