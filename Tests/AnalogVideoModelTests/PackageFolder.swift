import Foundation

/// The files of the package that tests read.
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
}
