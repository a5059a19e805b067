/// The folders that stand for `/sys` and `/proc`: those of this machine, or those of a test.
public struct MachineRoot: Sendable, Hashable {
    /// The folder that stands for `/sys`.
    public let system: String
    /// The folder that stands for `/proc`.
    let processes: String

    /// The root of the file system.
    public static let machine = MachineRoot(folder: "/")

    /// `folder` stands for `/`: it contains `sys` and `proc`.
    public init(folder: String) {
        let folder = Self.withoutSlashes(folder)
        system = folder + "/sys"
        processes = folder + "/proc"
    }

    /// `folder` stands for `/sys`.
    ///
    /// A folder named `sys` has its `proc` beside it; any other has the machine's `/proc`.
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
