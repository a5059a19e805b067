/// Serializes the flushes of several threads.
///
/// Between the FLUSH_START and FLUSH_STOP of one thread, the FLUSH_STOP of another thread would restart the streaming
/// thread, and the first thread would wait for it. So the thread that already flushes flushes again instead.
struct FlushTurn: Sendable {
    private var isRunning = false
    private var isRequested = false

    mutating func begin() -> Bool {
        isRequested = isRunning
        defer { isRunning = true }
        return !isRunning
    }

    /// Whether the caller must flush again; if not, its turn ends.
    mutating func isRepeated() -> Bool {
        defer { (isRunning, isRequested) = (isRequested, false) }
        return isRequested
    }
}
