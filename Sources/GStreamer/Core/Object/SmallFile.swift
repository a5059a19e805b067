import Glibc

/// Reads regular files of limited size.
public enum SmallFile {
    /// The bytes of the regular file at `path`; throws if it has more than `limit` bytes.
    ///
    /// Pipes and devices are rejected, because a read could block forever. Do not read files on a streaming thread.
    public static func read(_ path: String, atMost limit: Int) throws(ElementError) -> [UInt8] {
        // Without O_NONBLOCK, `open` would wait for the writer of a pipe.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw failure(path, errno) }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw failure(path, errno) }
        guard (facts.st_mode & S_IFMT) == S_IFREG else {
            throw .resource(.openRead, "\"\(path)\" is not a file.", debug: "Name a regular file.")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes[count...].withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw failure(path, errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else {
            throw .resource(
                .read, "\"\(path)\" is larger than \(limit) bytes.", debug: "This is not the kind of file expected.")
        }
        return Array(bytes[..<count])
    }

    private static func failure(_ path: String, _ number: CInt) -> ElementError {
        let reason = unsafe String(cString: strerror(number))
        return switch number {
        case ENOENT, ENOTDIR: .resource(.notFound, "\"\(path)\" was not found.", debug: reason)
        case EACCES, EPERM: .resource(.notAuthorized, "\"\(path)\" may not be read.", debug: reason)
        default: .resource(.openRead, "\"\(path)\" could not be read: \(reason).")
        }
    }
}
