public import CSystem
public import struct Synchronization._Cell

/// A mutex that owns its value.
///
/// `Synchronization.Mutex` identifies its owner with a thread-local copy of the thread's id, which is that of the parent
/// in a forked child: threads of the child block for ever. This type stores no identity. A lock that another thread holds
/// during a fork remains locked in the child; use `ProcessMutex` for a value of the process.
@safe public struct Mutex<Value: ~Copyable>: ~Copyable {
    // A cell has an address as long as it is not moved, as the atomic in `Synchronization.Mutex`.
    @usableFromInline let lock = _Cell(CThreadsLock())
    @usableFromInline let value: _Cell<Value>

    /// An unlocked mutex.
    @inlinable
    @inline(__always)
    public init(_ initial: consuming sending Value) { value = _Cell(initial) }

    /// Calls `body` with the mutex locked, to read or change the value.
    @inlinable
    @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe cthreads_lock(lock._address)
        defer { unsafe cthreads_unlock(lock._address) }
        // The thread sanitizer would take `&value._address.pointee` for a change of the whole mutex.
        let address = unsafe value._address
        return try unsafe body(&address.pointee)
    }
}

extension Mutex: @unchecked Sendable where Value: ~Copyable {}  // The lock protects the value.

/// A function that is the value of a mutex.
///
/// A mutex whose value is a function itself wraps it in two more functions at each `withLock`, for ever: the calling
/// convention of a function that is a generic value is another one.
public struct Handler<Function: Sendable>: Sendable {
    /// The function, which is called without the mutex.
    public let call: Function

    /// Holds `call`.
    @inlinable
    public init(_ call: Function) { self.call = call }
}
