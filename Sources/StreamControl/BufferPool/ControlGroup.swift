/// One of the control groups that a process lies in, and where it keeps its files.
///
/// The format is described in the kernel's `Documentation/admin-guide/cgroup-v2.rst`.
public struct ControlGroup: Sendable, Equatable {
    /// The folder, below the root of the file system.
    public let folder: String
    /// Version 1 names its files differently and knows no pressure.
    public let isVersion2: Bool

    public var usageFile: String { folder + (isVersion2 ? "/memory.current" : "/memory.usage_in_bytes") }
    public var limitFile: String { folder + (isVersion2 ? "/memory.max" : "/memory.limit_in_bytes") }
    public var statisticsFile: String { folder + "/memory.stat" }
    public var pressureFile: String? { isVersion2 ? folder + "/memory.pressure" : nil }

    /// More than any system nests; it bounds what a file can make us do.
    private static let greatestDepth = 32

    /// The groups of a process, from its own to the outermost, from `/proc/self/cgroup`: the limits of all of them bind.
    ///
    /// None when the text names none, or one that cannot be seen from here.
    public static func lineage(_ text: String) -> [ControlGroup] {
        var version2: Substring?
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].split(separator: ",").contains("memory") {
                return lineage(parts[2], below: "/sys/fs/cgroup/memory", isVersion2: false)
            }
            if parts[0] == "0" { version2 = parts[2] }
        }
        return version2.map { lineage($0, below: "/sys/fs/cgroup", isVersion2: true) } ?? []
    }

    private static func lineage(_ path: Substring, below root: String, isVersion2: Bool) -> [ControlGroup] {
        let names = path.split(separator: "/")
        // A group outside of the process's name space lies above the root that is mounted here.
        guard names.count <= greatestDepth, !names.contains("..") else { return [] }
        return (0...names.count).reversed().map { depth in
            let folder = names[..<depth].reduce(root) { "\($0)/\($1)" }
            return ControlGroup(folder: folder, isVersion2: isVersion2)
        }
    }
}
