public import CSystem

#if compiler(>=6.3)
    public import struct Synchronization._Cell
#else
    /// The cell of `Synchronization`, which is public since Swift 6.3; this one allocates memory.
    @usableFromInline @safe struct _Cell<Value: ~Copyable>: ~Copyable {
        @usableFromInline let _address: UnsafeMutablePointer<Value>

        @inlinable
        init(_ initial: consuming Value) {
            unsafe _address = .allocate(capacity: 1)
            unsafe _address.initialize(to: initial)
        }

        @inlinable
        deinit {
            unsafe _address.deinitialize(count: 1)
            unsafe _address.deallocate()
        }
    }
#endif

/// A mutex that owns its value.
///
/// `Synchronization.Mutex` identifies its owner by a thread-local thread ID. A forked child inherits the parent's ID,
/// so threads of the child block forever. This type stores no ID. If another thread holds the lock during a fork, it
/// remains locked in the child; use `ProcessMutex` for values of the process.
@safe public struct Mutex<Value: ~Copyable>: ~Copyable {
    // A cell keeps its address until it is moved, like the atomic in `Synchronization.Mutex`.
    @usableFromInline let lock = _Cell(CThreadsLock())
    @usableFromInline let value: _Cell<Value>

    /// Creates an unlocked mutex.
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
        // The thread sanitizer would interpret `&value._address.pointee` as a change of the whole mutex.
        let address = unsafe value._address
        return try unsafe body(&address.pointee)
    }
}

extension Mutex: @unchecked Sendable where Value: ~Copyable {}  // The lock protects the value.

/// A function as the value of a mutex.
///
/// Without this wrapper, each `withLock` would wrap the function in two more functions permanently, because a generic
/// value has another calling convention.
public struct Handler<Function: Sendable>: Sendable {
    /// The function; call it with the mutex unlocked.
    public let call: Function

    /// Holds `call`.
    @inlinable
    public init(_ call: Function) { self.call = call }
}
