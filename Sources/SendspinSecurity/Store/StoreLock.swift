import Glibc

/// Exclusive lock of a folder among all threads and processes, held until it is destroyed.
struct StoreLock: ~Copyable {
    /// Name of the lock file, which is empty and is never removed.
    static let name = ".lock"
    private let file: CInt

    /// Acquires the lock; fails if another process holds it for `patience`.
    init(_ folder: borrowing StoreFolder, patience: Duration) throws(StoreError) {
        let path = folder.path(of: Self.name)
        file = unsafe openat(folder.descriptor, Self.name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path: path, reason: systemReason()) }
        let start = ContinuousClock.now
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .unwritable(path: path, reason: systemReason())
            }
            guard ContinuousClock.now - start < patience else { throw .locked(path: path) }
            // Writers hold the lock for a few milliseconds. A blocking call could wait forever for a stopped process.
            _ = poll(nil, 0, 5)
        }
    }

    deinit { if file >= 0 { close(file) } }
}
