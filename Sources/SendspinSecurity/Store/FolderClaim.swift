import Glibc

/// Exclusive use of a folder by one player; the deinitializer releases it.
///
/// Servers identify a player by its key, and drop the older of two connections with one key. So a second player of the
/// same user uses a folder below the first player's folder.
public final class FolderClaim: Sendable {
    /// Name of the empty lock file, which is never removed.
    static let name = ".in-use"
    /// Maximum number of players at a time.
    public static let maximumCount = 32

    /// Folder of the player.
    public let path: String
    /// Number of the player, from 1.
    public let number: Int
    private let file: CInt

    private init(path: String, number: Int, file: CInt) { (self.path, self.number, self.file) = (path, number, file) }

    deinit { close(file) }

    /// Claims the first unused folder of `folder`, `folder/player-2`, and so on.
    public static func first(in folder: String) throws(StoreError) -> FolderClaim {
        for number in 1...maximumCount {
            let path = number == 1 ? folder : "\(folder)/player-\(number)"
            if let file = try claim(path) { return FolderClaim(path: path, number: number, file: file) }
        }
        throw .locked(path: folder)
    }

    /// Returns the descriptor of the locked file; nil if another player holds the lock.
    private static func claim(_ path: String) throws(StoreError) -> CInt? {
        let folder = try StoreFolder(path: path)
        let file = unsafe openat(folder.descriptor, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path: folder.path(of: name), reason: systemReason()) }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
        close(file)
        return nil
    }
}
