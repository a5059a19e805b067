/// Assigns separate files to each pipeline of a process.
///
/// The first pipeline uses the given paths. The names of concurrent pipelines are inserted before the extension:
/// `figures.jsonl` becomes `figures-pipeline1.jsonl`. A later pipeline reuses a released file, preferably the one with
/// its name, so there are never more files than concurrent pipelines.
public struct PipelineFiles: Sendable {
    private struct Owner: Sendable {
        let base: String
        let name: String
        var isInUse = true
    }

    private var owners: [String: Owner] = [:]

    /// Creates the files of a process without pipelines.
    public init() {}

    /// Returns the path for the pipeline `name` in place of `path`, and reserves it until `release`.
    public mutating func claim(_ path: String, for name: String) -> String {
        let claimed = free(path, name) ?? new(path, name)
        owners[claimed] = Owner(base: path, name: name)
        return claimed
    }

    private func free(_ path: String, _ name: String) -> String? {
        let free = owners.filter { $0.value.base == path && !$0.value.isInUse }
        return free.filter { $0.value.name == name }.keys.min() ?? (free[path] != nil ? path : free.keys.min())
    }

    private func new(_ path: String, _ name: String) -> String {
        var (candidate, number) = (path, 1)
        while owners[candidate] != nil {
            candidate = Self.inserting(number == 1 ? name : "\(name)-\(number)", into: path)
            number += 1
        }
        return candidate
    }

    /// Releases a path for another pipeline.
    public mutating func release(_ path: String) { owners[path]?.isInUse = false }

    /// Inserts a name before the extension of a path; `/` and line breaks in the name become `-`.
    public static func inserting(_ name: String, into path: String) -> String {
        let name = String(name.map { $0 == "/" || $0.isNewline ? "-" : $0 })
        let folderEnd = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // A file such as `.figures` has no extension.
        guard let dot = path[folderEnd...].lastIndex(of: "."), dot > folderEnd else { return "\(path)-\(name)" }
        return "\(path[..<dot])-\(name)\(path[dot...])"
    }
}
