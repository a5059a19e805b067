import Foundation

/// The places tests work in.
enum Folders {
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let pipelines = package.appending(path: "pipelines")

    /// A home of the tests' own, so that what the user has installed or saved does not count.
    static let home = fresh("home")

    /// A new folder; its name has a space in it, as people's folders do.
    static func fresh(_ name: String) -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "gst-swift \(ProcessInfo.processInfo.processIdentifier)/\(name)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            fatalError("cannot make \(folder.path()): \(error)")
        }
        return folder
    }
}
