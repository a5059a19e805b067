/// A value that several threads share, and wait for changes of.
@safe public final class Monitor<State: ~Copyable>: @unchecked Sendable {  // The state is touched under the gate only.
    /// The result of a look at the state.
    public enum Step<Result: ~Copyable>: ~Copyable {
        /// The end: `await` returns this.
        case done(Result)
        /// Look again when `condition` is woken, or at `until`.
        case wait(_ condition: Int, until: Duration?)
    }

    /// The lock, with its conditions.
    public let gate: Gate
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// A monitor of `initial`, with conditions numbered from 0.
    public init(_ initial: consuming State, conditions: Int) {
        gate = Gate(conditions: conditions)
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: initial)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Looks at the state, and changes it, under the lock.
    @inlinable
    public func change<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result {
        gate.lock()
        defer { gate.unlock() }
        return unsafe body(&state.pointee)
    }

    /// Looks at the state under the lock, again after each wait, until `body` is done.
    @inlinable
    public func await<Result: ~Copyable>(_ body: (inout State) -> Step<Result>) -> Result {
        gate.lock()
        while true {
            switch unsafe body(&state.pointee) {
            case .done(let result):
                gate.unlock()
                return result
            case .wait(let condition, let deadline):
                gate.wait(condition, until: deadline)
            }
        }
    }
}
