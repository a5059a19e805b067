import Glibc

/// An open folder whose files are read and replaced.
///
/// Files are opened relative to the descriptor, so that all checks and operations apply to the same folder.
struct StoreFolder: ~Copyable {
    /// Maximum size of a file in bytes.
    static let sizeLimit = 65_536

    let path: String
    let descriptor: CInt

    /// Opens the folder; if it is missing, creates it and its parents with mode 0700.
    init(path: String) throws(StoreError) {
        self.path = path
        var file = Self.openFolder(path)
        if file < 0 && errno == ENOENT {
            Self.create(path)
            file = Self.openFolder(path)
        }
        descriptor = file
        // If the folder is not open, `errno` is that of `open`.
        guard file >= 0 else { throw .folderUnavailable(path: path, reason: systemReason()) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw .folderUnavailable(path: path, reason: systemReason()) }
        guard facts.st_uid == geteuid() else { throw .wrongOwner(path: path) }
        guard (facts.st_mode & 0o022) == 0 else {
            throw .unsafePermissions(path: path, mode: UInt32(facts.st_mode & 0o7777), isFolder: true)
        }
        if let place = Self.unsafePlace(on: path) { throw .unsafePlace(path: path, place: place) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Returns the content of a file; nil if it does not exist.
    func read(_ name: String) throws(StoreError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw .notAFile(path: path(of: name))
            default: throw .unreadable(path: path(of: name), reason: systemReason())
            }
        }
        defer { close(file) }
        try check(file, name)
        var bytes = [UInt8](repeating: 0, count: Self.sizeLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes[count...].withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(path: path(of: name), reason: systemReason()) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.sizeLimit else { throw .tooLarge(path: path(of: name), limit: Self.sizeLimit) }
        return Array(bytes[..<count])
    }

    /// Replaces a file atomically: after a crash, it has either the old or the new content.
    func replace(_ name: String, with bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(path: path(of: name), limit: Self.sizeLimit) }
        let draft = ".\(name).\(UInt64.random(in: .min ... .max))"
        guard write(bytes, to: draft), unsafe renameat(descriptor, draft, descriptor, name) == 0 else {
            let error = StoreError.unwritable(path: path(of: name), reason: systemReason())
            _ = unsafe unlinkat(descriptor, draft, 0)
            throw error
        }
        // The sync makes the new name permanent. An error is ignored, because some file systems cannot sync a folder.
        fsync(descriptor)
    }

    /// Keeps a damaged file as `name.damaged`, or `name.damaged-2` and so on, before its replacement.
    func setAside(_ name: String) throws(StoreError) {
        for number in 1...100 {
            let other = number == 1 ? "\(name).damaged" : "\(name).damaged-\(number)"
            if unsafe linkat(descriptor, name, descriptor, other, 0) == 0 { return }
            guard errno == EEXIST else { break }
        }
        throw .unwritable(path: path(of: name), reason: "its damaged content can not be kept: \(systemReason())")
    }

    /// Writes a new file; after a failure, `errno` has the reason.
    private func write(_ bytes: [UInt8], to draft: String) -> Bool {
        let file = unsafe openat(descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer {
            let reason = errno
            close(file)
            errno = reason
        }
        var rest = bytes[...]
        // The umask of the process may have removed bits from the mode.
        guard fchmod(file, 0o600) == 0 else { return false }
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return fsync(file) == 0
    }

    /// Checks that the file is a regular file of this user without access for other users.
    private func check(_ file: CInt, _ name: String) throws(StoreError) {
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else {
            throw .unreadable(path: path(of: name), reason: systemReason())
        }
        guard (facts.st_mode & S_IFMT) == S_IFREG else { throw .notAFile(path: path(of: name)) }
        guard facts.st_uid == geteuid() else { throw .wrongOwner(path: path(of: name)) }
        guard (facts.st_mode & 0o077) == 0 else {
            throw .unsafePermissions(path: path(of: name), mode: UInt32(facts.st_mode & 0o7777), isFolder: false)
        }
    }

    /// A folder above `path`, or a link in it, through which another user could replace the folder; nil if there is
    /// none.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, users can rename only their entries. Many systems give a user
    /// a group without other users, so the user's group may write. In a user namespace, root may have another ID: that
    /// of the owner of `/`, who can replace everything anyway.
    private static func unsafePlace(on path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(found) }
        let above = prefixes(of: unsafe String(cString: found)).dropLast()
        var (facts, root) = (stat(), stat())
        guard unsafe lstat("/", &root) == 0 else { return "/" }
        return (prefixes(of: path) + above).first { place in
            guard unsafe lstat(place, &facts) == 0 else { return true }
            if ![0, geteuid(), root.st_uid].contains(facts.st_uid) { return true }
            guard (facts.st_mode & S_IFMT) == S_IFDIR, (facts.st_mode & S_ISVTX) == 0 else { return false }
            return (facts.st_mode & 0o002) != 0 || ((facts.st_mode & 0o020) != 0 && facts.st_gid != getegid())
        }
    }

    /// The path of each folder from `/` to `path` itself.
    private static func prefixes(of path: String) -> [String] {
        let bytes = Array(path.utf8)
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") } + [bytes.count]
        return ends.map { $0 == 0 ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    private static func openFolder(_ path: String) -> CInt {
        unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    /// Creates the folder and its parents with mode 0700; opening the folder reports failures.
    private static func create(_ path: String) {
        let bytes = Array(path.utf8)
        for end in bytes.indices.dropFirst() where bytes[end] == UInt8(ascii: "/") {
            _ = unsafe mkdir(String(decoding: bytes[..<end], as: UTF8.self), 0o700)
        }
        _ = unsafe mkdir(path, 0o700)
    }
}

/// Text of the current `errno`.
func systemReason() -> String { unsafe String(cString: strerror(errno)) }
