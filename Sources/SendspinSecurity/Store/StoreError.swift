/// Reason why a file of a player can not be read or written, and the cure.
public enum StoreError: Error, Equatable, Sendable {
    /// The folder does not exist and can not be created, or can not be opened.
    case folderUnavailable(path: String, reason: String)
    /// Another user owns the file or the folder.
    case wrongOwner(path: String)
    /// Users other than the owner may read the file, or write the folder. The mode contains the permission bits only.
    case unsafePermissions(path: String, mode: UInt32, isFolder: Bool)
    /// Other users can put another folder in place of this one, because of a folder above it or a link.
    case unsafePlace(path: String, place: String)
    /// The path names a link, a folder, a pipe or a device.
    case notAFile(path: String)
    /// The file is larger than any that this library writes.
    case tooLarge(path: String, limit: Int)
    /// The system refused to read the file.
    case unreadable(path: String, reason: String)
    /// The system refused to write the file; the old content remains.
    case unwritable(path: String, reason: String)
    /// The content is not what this library writes. The file is not changed.
    case malformed(path: String, reason: String)
    /// A newer version of this library wrote the file. The file is not changed.
    case newerVersion(path: String, version: Int64)
    /// Another process has held the lock of the folder for too long.
    case locked(path: String)
}

extension StoreError: CustomStringConvertible {
    /// One or two sentences: the fault and the cure.
    public var description: String {
        switch self {
        case .folderUnavailable(let path, let reason):
            "The folder \"\(path)\" can not be used: \(reason). Create it, or choose another one."
        case .wrongOwner(let path): "\"\(path)\" belongs to another user. Choose another folder."
        case .unsafePermissions(let path, let mode, let isFolder):
            "\"\(path)\" has the mode \(String(mode, radix: 8)), which lets other users "
                + (isFolder
                    ? "replace its files. Choose a folder that only this player uses, such as "
                        + "\"$HOME/.local/share/kitchen\"; it is created."
                    : "read its keys. Run: chmod 600 \"\(path)\"")
        case .unsafePlace(let path, let place):
            "Other users can replace the folder \"\(path)\", because \"\(place)\" belongs to another user or can be written by "
                + "others. Choose a folder below your home, such as \"$HOME/.local/share/kitchen\"; it is created."
        case .notAFile(let path): "\"\(path)\" is not a regular file. Remove it."
        case .tooLarge(let path, let limit): "\"\(path)\" is larger than \(limit) bytes. Remove it."
        case .unreadable(let path, let reason): "\"\(path)\" can not be read: \(reason)."
        case .unwritable(let path, let reason): "\"\(path)\" can not be written: \(reason)."
        case .malformed(let path, let reason):
            "\"\(path)\" is damaged: \(reason). Restore it from a copy, or remove it to begin anew."
        case .newerVersion(let path, let version):
            "\"\(path)\" has the version \(version), which is newer than this program. Update the program."
        case .locked(let path): "Another process holds the lock \"\(path)\"."
        }
    }
}
