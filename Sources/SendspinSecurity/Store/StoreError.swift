/// Fault of a player's file or folder, and its remedy.
public enum StoreError: Error, Equatable, Sendable {
    /// The folder can not be created or opened.
    case folderUnavailable(path: String, reason: String)
    /// Another user owns the file or the folder.
    case wrongOwner(path: String)
    /// Other users may read the file or write to the folder; `mode` has only the permission bits.
    case unsafePermissions(path: String, mode: UInt32, isFolder: Bool)
    /// Other users can replace the folder, because they can change a folder above it or a link in its path.
    case unsafePlace(path: String, place: String)
    /// The path names a link, a folder, a pipe or a device instead of a regular file.
    case notAFile(path: String)
    /// The file is larger than any file that this library writes.
    case tooLarge(path: String, limit: Int)
    /// The system cannot read the file.
    case unreadable(path: String, reason: String)
    /// The system cannot write the file; its content is unchanged.
    case unwritable(path: String, reason: String)
    /// This library cannot have written the content; the file is unchanged.
    case malformed(path: String, reason: String)
    /// A newer version of this library has written the file; the file is unchanged.
    case newerVersion(path: String, version: Int64)
    /// Another process has held the folder's lock for too long, or `FolderClaim` finds no unused folder.
    case locked(path: String)
}

extension StoreError: CustomStringConvertible {
    /// One or two sentences: the fault and its remedy.
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
