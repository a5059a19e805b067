/// Gives each pipeline of a process files of its own.
///
/// The first pipeline has the paths as they were given. The names of all others are inserted before the extension:
/// `figures.jsonl` becomes `figures-pipeline1.jsonl`. A pipeline that is made again with the same name has the same files,
/// unless the other one still uses them.
public struct PipelineFiles: Sendable {
    private struct Owner: Sendable {
        var name: String
        var isInUse: Bool
    }

    private var owners: [String: Owner] = [:]

    /// Creates the files of a process without pipelines.
    public init() {}

    /// Returns the path for the pipeline `name` instead of `path`, until it is released.
    public mutating func claim(_ path: String, for name: String) -> String {
        var (candidate, number) = (path, 1)
        while let owner = owners[candidate], owner.isInUse || owner.name != name {
            candidate = Self.inserting(number == 1 ? name : "\(name)-\(number)", into: path)
            number += 1
        }
        owners[candidate] = Owner(name: name, isInUse: true)
        return candidate
    }

    /// Lets another pipeline of the same name have a path.
    public mutating func release(_ path: String) { owners[path]?.isInUse = false }

    /// Inserts a name before the extension of a path; letters that would be folders become `-`.
    static func inserting(_ name: String, into path: String) -> String {
        let name = String(name.map { $0 == "/" || $0.isNewline ? "-" : $0 })
        let folderEnd = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // A file such as `.figures` has no extension.
        guard let dot = path[folderEnd...].lastIndex(of: "."), dot > folderEnd else { return "\(path)-\(name)" }
        return "\(path[..<dot])-\(name)\(path[dot...])"
    }
}
