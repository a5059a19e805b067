/// A control group of the process, and the paths of its files.
///
/// Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst`.
public struct ControlGroup: Sendable, Equatable {
    /// Path of the folder of the group, from the root of the file system.
    public let folder: String
    /// Whether the group has version 2; version 1 has other file names, and no file for the memory pressure.
    public let isVersion2: Bool

    /// File with the memory in use, in bytes.
    public var usageFile: String { folder + (isVersion2 ? "/memory.current" : "/memory.usage_in_bytes") }
    /// File with the limit of memory, in bytes.
    public var limitFile: String { folder + (isVersion2 ? "/memory.max" : "/memory.limit_in_bytes") }
    /// File that lists the memory in use by kind.
    public var statisticsFile: String { folder + "/memory.stat" }
    /// File with the memory pressure; nil in version 1.
    public var pressureFile: String? { isVersion2 ? folder + "/memory.pressure" : nil }

    /// Maximum depth of a group, greater than on any system, so that no file causes much work.
    private static let greatestDepth = 32

    /// Groups in `/proc/self/cgroup` that limit `controller`, from the innermost to the outermost; all limits apply.
    ///
    /// The groups have version 1, or version 2 if version 1 does not use the controller. The result is empty if the
    /// text contains no group, or a group that is not visible in this namespace.
    public static func lineage(_ text: String, controller: String = "memory") -> [ControlGroup] {
        var version2: Substring?
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].split(separator: ",").contains(where: { $0 == controller }) {
                return lineage(parts[2], below: "/sys/fs/cgroup/\(controller)", isVersion2: false)
            }
            if parts[0] == "0" { version2 = parts[2] }
        }
        return version2.map { lineage($0, below: "/sys/fs/cgroup", isVersion2: true) } ?? []
    }

    private static func lineage(_ path: Substring, below root: String, isVersion2: Bool) -> [ControlGroup] {
        let names = path.split(separator: "/")
        // A group outside of the namespace is above the mounted root, so its files cannot be read.
        guard names.count <= greatestDepth, !names.contains("..") else { return [] }
        return (0...names.count).reversed().map { depth in
            let folder = names[..<depth].reduce(root) { "\($0)/\($1)" }
            return ControlGroup(folder: folder, isVersion2: isVersion2)
        }
    }
}
