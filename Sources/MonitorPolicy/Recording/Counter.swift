import Synchronization

/// A counter that one thread increments while others read it, without a mutex or an atomic read-modify-write.
///
/// If two threads add at the same time, counts are lost.
public struct Counter: ~Copyable, Sendable {
    @usableFromInline let cell = Atomic<UInt64>(0)

    /// Creates a counter with the value 0.
    public init() {}

    /// Adds to the counter, which wraps around to 0.
    @inlinable
    public func add(_ amount: UInt64 = 1) {
        cell.store(cell.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Raises the value to `candidate` if that is larger.
    @inlinable
    public func raise(to candidate: UInt64) {
        if candidate > cell.load(ordering: .relaxed) { cell.store(candidate, ordering: .relaxed) }
    }

    /// The current value, from any thread.
    @inlinable public var value: UInt64 { cell.load(ordering: .relaxed) }
}
