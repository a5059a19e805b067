import Foundation
import SendspinSecurity

/// A temporary folder for a store.
final class StoreHome {
    let folder: String
    let store: Store

    init() throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        folder = parent.appendingPathComponent("player").path
        store = Store(folder: folder)
    }

    deinit {
        // A test may have removed the permission to list the folder.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        try? FileManager.default.removeItem(atPath: (folder as NSString).deletingLastPathComponent)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try (attributes[.posixPermissions] as? Int) ?? { throw CocoaError(.fileReadUnknown) }()
    }

    func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Writes a file with mode 0600 without the store.
    func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        try setMode(0o600, path(name))
    }

    /// Sorted names of all files.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
}
