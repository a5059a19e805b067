/// Keeps the flushes of several threads apart.
///
/// Two pairs of FLUSH_START and FLUSH_STOP at once would restart the streaming thread between those of one of them, which
/// then waits for it. The thread that flushes already flushes again instead.
struct FlushTurn: Sendable {
    private var isRunning = false
    private var isRequested = false

    /// Whether the caller must flush.
    mutating func begin() -> Bool {
        isRequested = isRunning
        defer { isRunning = true }
        return !isRunning
    }

    /// Whether the caller must flush again; otherwise its turn is over.
    mutating func isRepeated() -> Bool {
        defer { (isRunning, isRequested) = (isRequested, false) }
        return isRequested
    }
}
