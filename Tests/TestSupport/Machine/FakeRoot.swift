import Foundation

/// A temporary folder that replaces the root of the file system.
public final class FakeRoot {
    public let path = NSTemporaryDirectory() + "gst-swift-root-\(UUID().uuidString)"

    /// Creates `files`, whose keys are paths, and named pipes at the paths `pipes`.
    ///
    /// A thread that opens a pipe to read it blocks.
    public init(_ files: [String: String], pipes: [String] = []) throws {
        for (name, text) in files { try Data(text.utf8).write(to: add(name)) }
        for name in pipes { mkfifo(try add(name).path, 0o600) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces a file atomically, because a reader never reads half of a change of a file in `/sys`.
    public func write(_ name: String, _ text: String) {
        try? Data(text.utf8).write(to: URL(filePath: path + name), options: .atomic)
    }

    private func add(_ name: String) throws -> URL {
        let file = URL(filePath: path + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        return file
    }
}
