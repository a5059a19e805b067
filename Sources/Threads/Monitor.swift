/// A value shared by several threads, which can wait for it to change.
@safe public final class Monitor<State: ~Copyable>: @unchecked Sendable {  // The mutex protects the state.
    /// Result of one evaluation of the state.
    public enum Step<Result: ~Copyable>: ~Copyable {
        /// `await` returns this result.
        case done(Result)
        /// Evaluate the state again when `condition` is woken, or at the time `until`.
        case wait(_ condition: Int, until: Duration?)
    }

    /// The mutex and its condition variables.
    public let mutex: ConditionMutex
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// A monitor with the value `initial` and `conditions` condition variables, numbered from 0.
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

    /// Calls `body` with the mutex locked, and again after each wait, until it returns `done`.
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
