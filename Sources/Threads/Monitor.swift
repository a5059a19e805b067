/// A value that threads share; a mutex protects it, and threads can wait for its changes.
@safe public final class Monitor<State: ~Copyable>: @unchecked Sendable {  // The mutex protects the state.
    /// Result of an evaluation of the state.
    public enum Step<Result: ~Copyable>: ~Copyable {
        /// `await` returns this result.
        case done(Result)
        /// `await` evaluates the state again after a wake-up of `condition`, or at the time `until`.
        case wait(_ condition: Int, until: Duration?)
    }

    /// The mutex and its condition variables.
    public let mutex: ConditionMutex
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Creates a monitor with `conditions` condition variables, numbered from 0.
    public init(_ initial: consuming State, conditions: Int) {
        mutex = ConditionMutex(conditions: conditions)
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: initial)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Calls `body` with the mutex locked, to read or change the state.
    @inlinable
    public func change<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return unsafe body(&state.pointee)
    }

    /// Calls `body` with the mutex locked, and again after each wait, until `body` returns `done`.
    @inlinable
    public func await<Result: ~Copyable>(_ body: (inout State) -> Step<Result>) -> Result {
        mutex.lock()
        while true {
            switch unsafe body(&state.pointee) {
            case .done(let result):
                mutex.unlock()
                return result
            case .wait(let condition, let deadline):
                mutex.wait(condition, until: deadline)
            }
        }
    }
}
