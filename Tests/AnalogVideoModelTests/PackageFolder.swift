import Foundation

/// The files of the package that the tests read.
enum PackageFolder {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The presets of the golden frames.
    static let goldenPresets = root.appending(path: "Tests/Golden/presets")

    static func goldenPreset(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: goldenPresets.appending(path: name)))
    }

    static func goldenPresetNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: goldenPresets.path)
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    /// The regular files in a folder and its subfolders, without the targets of symbolic links.
    static func files(in folder: String) -> [URL] {
        let files = FileManager.default.enumerator(
            at: root.appending(path: folder).resolvingSymlinksInPath(), includingPropertiesForKeys: [.isRegularFileKey])
        return (files?.compactMap { $0 as? URL } ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
    }
}
