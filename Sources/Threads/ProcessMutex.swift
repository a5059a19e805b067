import CSystem

/// A mutex for a value of the process; no other thread holds it during a fork, so a forked child can lock it.
///
/// A fork locks the mutex. While it is held, do not lock another `ProcessMutex`, do not fork, and wait at most for a
/// short lock of GStreamer. The lock is never freed, so use a `ProcessMutex` only in static properties.
@safe public final class ProcessMutex<Value: ~Copyable>: @unchecked Sendable {  // The lock protects the value.
    private let lock: UnsafeMutablePointer<CThreadsLock>
    private var value: Value

    /// Creates an unlocked mutex.
    public init(_ initial: consuming sending Value) {
        // Swift also aborts the process if an allocation of 16 bytes fails.
        unsafe lock = cthreads_make_process_lock()!
        value = initial
    }

    /// Calls `body` with the mutex locked, to read or change the value.
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe cthreads_lock(lock)
        defer { unsafe cthreads_unlock(lock) }
        return try body(&value)
    }
}
