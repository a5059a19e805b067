/// The text of a file of `/proc` or `/sys`, or the reason why it cannot be read.
enum FileContent: Sendable, Equatable {
    case text(String)
    /// The file does not exist.
    case absent
    /// The user may not read the file.
    case denied
    /// Reading failed, or it is not a regular file of at most 16 KiB.
    case unreadable

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
