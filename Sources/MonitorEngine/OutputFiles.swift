import Glibc

/// Reason why a file could not be written.
public struct FileFailure: Error, Sendable {
    static let notAFile = FileFailure(reason: "It is not a regular file")
    static let hasOtherNames = FileFailure(reason: "It has other names (hard links)")

    /// Text for the user, usually from the C library.
    public let reason: String

    init(_ number: CInt) { reason = String(cString: strerror(number)) }
    init(reason: String) { self.reason = reason }
}

/// A file to which lines are appended.
///
/// If the disk is full, a partial line is removed again.
public final class LogFile: Sendable {
    /// Path as given by the caller.
    public let path: String
    private let descriptor: CInt

    /// Opens or creates the file; `isReplaced` truncates it.
    public init(_ path: String, isReplaced: Bool = false) throws(FileFailure) {
        guard mayBeWritten(path) else { throw .notAFile }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw FileFailure(errno) }
        var facts = stat()
        // The file may have been replaced since the check, and a file with hard links may belong to another program.
        let isAlone = fstat(descriptor, &facts) != 0 || facts.st_nlink < 2
        guard isFile(facts), isAlone, !isReplaced || ftruncate(descriptor, 0) == 0 else {
            close(descriptor)
            throw isAlone ? .notAFile : .hasOtherNames
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Appends whole lines; returns the failure, if any.
    public func append(_ text: String) -> FileFailure? { append(Array(text.utf8)) }

    /// Appends all bytes or none; returns the failure, if any.
    public func append(_ bytes: [UInt8]) -> FileFailure? {
        let end = lseek(descriptor, 0, SEEK_END)
        guard let failure = write(bytes, to: descriptor) else { return nil }
        if end >= 0 { _ = ftruncate(descriptor, end) }
        return failure
    }
}

extension LogFile {
    /// Creates or replaces a file by renaming a temporary file, so that a reader finds the old or the new text.
    public static func replace(_ path: String, with text: String) -> FileFailure? {
        guard mayBeWritten(path) else { return .notAFile }
        // Another user may write to the folder and must not be able to predict the name of the temporary file.
        let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { return FileFailure(errno) }
        let failure = write(text, to: descriptor)
        close(descriptor)
        if let failure {
            unlink(draft)
            return failure
        }
        guard rename(draft, path) == 0 else {
            defer { unlink(draft) }
            return FileFailure(errno)
        }
        return nil
    }
}

/// The standard error output, which is used because the standard output may carry the stream.
public struct Terminal: Sendable {
    private var hasLine = false
    private let isTerminal = isatty(STDERR_FILENO) != 0

    /// Creates the terminal of the process.
    public init() {}

    /// Number of columns; 160 if the output is not a terminal.
    public var width: Int {
        var size = winsize()
        guard isTerminal, ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 160 }
        return Int(size.ws_col)
    }

    /// Prints a line over the previous one, or below it if the output is not a terminal.
    public mutating func rewrite(_ line: String) {
        _ = write(isTerminal ? "\r\u{1B}[2K\(line)" : "\(line)\n", to: STDERR_FILENO)
        hasLine = isTerminal
    }

    /// Prints lines below the previous output.
    public mutating func print(_ text: String) {
        _ = write(hasLine ? "\n\(text)" : text, to: STDERR_FILENO)
        hasLine = false
    }
}

/// Whether the path does not exist or is a regular file.
///
/// All other files are refused, because opening a pipe may block, and a link may lead anywhere.
private func mayBeWritten(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) != 0 || isFile(facts)
}

private func isFile(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFREG }

private func write(_ text: String, to descriptor: CInt) -> FileFailure? { write(Array(text.utf8), to: descriptor) }

private func write(_ bytes: [UInt8], to descriptor: CInt) -> FileFailure? {
    bytes.withUnsafeBufferPointer { bytes in
        var done = 0
        while done < bytes.count {
            let written = Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return FileFailure(written < 0 ? errno : EIO) }
            done += written
        }
        return nil
    }
}
