import Glibc
import MachineState

/// Functions that read the small text files of `/proc` and `/sys`; tests replace these functions.
///
/// The driver of a file can block the caller, so only threads that may block call these functions.
public struct SystemFiles: Sendable {
    /// Content of the file at a path.
    let read: @Sendable (_ path: String) -> FileContent
    /// First 64 KiB of a file that may be longer.
    let readStart: @Sendable (_ path: String) -> FileContent
    /// Names in the folder at a path, unsorted, at most the given number; empty if the folder cannot be read.
    let list: @Sendable (_ path: String, _ most: Int) -> [String]

    private static let longestFile = 16_384
    private static let longestStart = 65_536

    /// Creates access to the files of the machine.
    public init() { self.init(read: { Self.content(at: $0) }) }

    init(
        read: @escaping @Sendable (_ path: String) -> FileContent,
        readStart: @escaping @Sendable (_ path: String) -> FileContent = { Self.start(of: $0) },
        list: @escaping @Sendable (_ path: String, _ most: Int) -> [String] = { Self.names(in: $0, most: $1) }
    ) {
        self.read = read
        self.readStart = readStart
        self.list = list
    }

    /// First line of a file, with `?` for control characters; nil if it is empty or cannot be read.
    func word(_ path: String) -> String? { read(path).text.flatMap(ThreadTime.name(comm:)) }

    /// Text of a regular file of at most 16 KiB; nil for any other file.
    public static func text(at path: String) -> String? { content(at: path).text }

    /// Text of a regular file of at most `limit` bytes; nil for any other file.
    public static func text(at path: String, atMost limit: Int) -> String? { content(at: path, atMost: limit).text }

    /// Content of a regular file of at most `limit` bytes; pipes and devices are refused, because they may block.
    static func content(at path: String, atMost limit: Int = longestFile) -> FileContent {
        content(at: path, atMost: limit, isWhole: true)
    }

    static func start(of path: String) -> FileContent { content(at: path, atMost: longestStart, isWhole: false) }

    private static func content(at path: String, atMost limit: Int, isWhole: Bool) -> FileContent {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return failure }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, (status.st_mode & S_IFMT) == S_IFREG else { return .unreadable }
        return unsafe withUnsafeTemporaryAllocation(byteCount: limit + 1, alignment: 1) { bytes in
            var count = 0
            while count < bytes.count {
                let result = unsafe Glibc.read(file, bytes.baseAddress?.advanced(by: count), bytes.count - count)
                if result < 0 && errno == EINTR { continue }
                guard result >= 0 else { return failure }
                if result == 0 { break }
                count += result
            }
            guard count <= limit || !isWhole else { return .unreadable }
            count = min(count, limit)
            return unsafe .text(String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<count]), as: UTF8.self))
        }
    }

    private static var failure: FileContent {
        switch errno {
        case EACCES, EPERM: .denied
        case ENOENT, ENOTDIR, ENODEV, ENXIO, ESRCH: .absent
        default: .unreadable
        }
    }

    static func names(in path: String, most: Int) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < most, let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// Text of a file of `/proc` or `/sys`, or the reason why it cannot be read.
enum FileContent: Sendable, Equatable {
    case text(String)
    /// The file does not exist.
    case absent
    /// The user may not read the file.
    case denied
    /// Reading failed, or the file is not a regular file, or it is too long.
    case unreadable

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
