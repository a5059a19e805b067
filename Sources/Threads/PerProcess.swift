/// A value that a forked child creates anew, because the value refers to threads that the child does not have.
///
/// The child does not release the value of the parent.
public final class PerProcess<Value: Sendable>: Sendable {
    private struct Current: Sendable {
        var forks: UInt32
        var value: Value
    }

    private let make: @Sendable () -> Value
    private let current = ProcessMutex<Current?>(nil)

    /// `make` creates the value at its first use in each process; it must not lock a `ProcessMutex`.
    public init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// The value of this process.
    public var value: Value {
        current.withLock { current in
            let forks = ForkCount.now
            if let current, current.forks == forks { return current.value }
            if let parent = current.take() { _ = unsafe Unmanaged.passRetained(Kept(parent)) }
            let value = make()
            current = Current(forks: forks, value: value)
            return value
        }
    }

    /// Keeps the parent's value forever, because the release of the value could wait for threads of the parent.
    private final class Kept {
        let value: Current
        init(_ value: Current) { self.value = value }
    }
}
