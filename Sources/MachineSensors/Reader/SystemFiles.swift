import Glibc

/// Access to the small text files of `/proc` and `/sys`; tests replace it.
///
/// A driver behind a file can block the caller, so only the reader's thread calls these functions.
public struct SystemFiles: Sendable {
    /// The text of the file at a path; nil when it cannot be read.
    let read: @Sendable (_ path: String) -> String?
    /// The names in the folder at a path, in no order; empty when it cannot be read.
    let list: @Sendable (_ path: String) -> [String]

    private static let longestFile = 16_384
    private static let mostNames = 256

    public init(
        read: @escaping @Sendable (_ path: String) -> String? = SystemFiles.text,
        list: @escaping @Sendable (_ path: String) -> [String] = SystemFiles.names
    ) {
        self.read = read
        self.list = list
    }

    /// The text of a regular file of at most 16 KiB; nil for any other file.
    @Sendable public static func text(at path: String) -> String? { text(at: path, atMost: longestFile) }

    /// The text of a regular file of at most `limit` bytes; nil for any other file.
    ///
    /// Pipes and devices are refused: reading one could block for ever.
    public static func text(at path: String, atMost limit: Int) -> String? {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, (status.st_mode & S_IFMT) == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let result = unsafe bytes[count...].withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { return nil }
            if result == 0 { break }
            count += result
        }
        return count <= limit ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// The first 256 names in a folder.
    @Sendable public static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < mostNames, let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
