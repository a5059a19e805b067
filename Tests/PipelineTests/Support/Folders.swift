import Foundation

/// Folders used by the tests.
enum Folders {
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let pipelines = package.appending(path: "pipelines")

    /// A home folder without plugins and presets of the user.
    static let home = fresh("home")

    /// The folder that the tests write to; it is removed at the end.
    private static let scratch: URL = {
        atexit { try? FileManager.default.removeItem(at: Folders.scratch) }
        return FileManager.default.temporaryDirectory
            .appending(path: "gst-swift \(ProcessInfo.processInfo.processIdentifier)")
    }()

    /// Creates a folder whose name begins with `name`, and whose path contains a space to test quoting.
    static func fresh(_ name: String) -> URL {
        let folder = scratch.appending(path: "\(name)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            fatalError("cannot make \(folder.path()): \(error)")
        }
        return folder
    }
}
