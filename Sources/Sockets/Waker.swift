import CSystem
import Glibc
import struct Synchronization.Atomic

/// Ends the waits of a thread that waits for sockets; any thread may use the waker.
///
/// One waker may serve successive connections of one thread.
public final class Waker: Sendable {
    /// Reason to end a wait.
    public enum Signal: Sendable {
        /// `wake` was called since the last `take`.
        case woken
        /// `cancel` was called.
        case cancelled
    }

    /// A descriptor that is readable after `wake` or `cancel`, until `clear`.
    public let descriptor: CInt
    private let isWoken = Atomic(false)
    private let hasEnded = Atomic(false)

    /// Creates a waker that is neither woken nor cancelled.
    public init() throws(SocketFailure) {
        descriptor = csockets_make_wake()
        guard descriptor >= 0 else { throw SocketFailure() }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the current wait, or the next one, with `.woken`; it does not interrupt a connection attempt.
    public func wake() {
        isWoken.store(true, ordering: .releasing)
        csockets_wake(descriptor)
    }

    /// Ends the current wait and all later ones, also during a connection attempt or a name lookup.
    public func cancel() {
        hasEnded.store(true, ordering: .releasing)
        csockets_wake(descriptor)
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { hasEnded.load(ordering: .acquiring) }

    /// Returns the reason to end a wait; nil if there is none.
    public func take() -> Signal? {
        if isCancelled { return .cancelled }
        return isWoken.exchange(false, ordering: .acquiringAndReleasing) ? .woken : nil
    }

    /// Makes the descriptor unreadable; call `take` afterwards.
    public func clear() { csockets_clear_wake(descriptor) }
}
