import Glibc

/// The text of a file of `/proc` or `/sys`, or the reason why it cannot be read.
enum FileContent: Sendable, Equatable {
    case text(String)
    /// The file does not exist.
    case absent
    /// The user may not read the file.
    case denied
    /// Reading failed, or it is not a text file of at most 16 KiB.
    case unreadable

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

/// Access to the files that are read once a second; tests replace it.
struct UsageFiles: Sendable {
    var read: @Sendable (_ path: String) -> FileContent = UsageFiles.content
    /// The names in a folder, in its order; at most the number given.
    var list: @Sendable (_ path: String, _ most: Int) -> [String] = UsageFiles.names

    private static let longestFile = 16_384

    @Sendable static func content(at path: String) -> FileContent {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return failure }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, (status.st_mode & S_IFMT) == S_IFREG else { return .unreadable }
        return unsafe withUnsafeTemporaryAllocation(byteCount: longestFile + 1, alignment: 1) { bytes in
            var count = 0
            while count < bytes.count {
                let result = unsafe Glibc.read(file, bytes.baseAddress?.advanced(by: count), bytes.count - count)
                if result < 0 && errno == EINTR { continue }
                guard result >= 0 else { return failure }
                if result == 0 { break }
                count += result
            }
            guard count <= longestFile else { return .unreadable }
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

    @Sendable static func names(in path: String, most: Int) -> [String] {
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
