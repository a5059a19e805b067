/// Folders that are read as `/sys` and `/proc`: those of this machine, or those of a test.
public struct MachineRoot: Sendable, Hashable {
    /// Folder that is read as `/sys`.
    public let system: String
    /// Folder that is read as `/proc`.
    let processes: String

    /// The root of the file system.
    public static let machine = MachineRoot(folder: "/")

    /// Creates a root; `folder` replaces `/` and contains `sys` and `proc`.
    public init(folder: String) {
        let folder = Self.withoutSlashes(folder)
        system = folder + "/sys"
        processes = folder + "/proc"
    }

    /// Creates a root; `folder` replaces `/sys`.
    ///
    /// If `folder` is named `sys`, the folder `proc` beside it replaces `/proc`. If not, the machine's `/proc` is read.
    public init(system folder: String) {
        system = Self.withoutSlashes(folder)
        processes = system.hasSuffix("/sys") || system == "sys" ? system.dropLast(3) + "proc" : "/proc"
    }

    private static func withoutSlashes(_ folder: String) -> String {
        var folder = Substring(folder)
        while folder.hasSuffix("/") { folder.removeLast() }
        return String(folder)
    }
}
