import Foundation

/// The places tests work in.
enum Folders {
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let pipelines = package.appending(path: "pipelines")

    /// A home of the tests' own, so that what the user has installed or saved does not count.
    static let home = fresh("home")

    /// The folder that the tests write to; removed when they end.
    private static let scratch: URL = {
        atexit { try? FileManager.default.removeItem(at: Folders.scratch) }
        return FileManager.default.temporaryDirectory
            .appending(path: "gst-swift \(ProcessInfo.processInfo.processIdentifier)")
    }()

    /// A new folder; its name has a space in it, as people's folders do.
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
