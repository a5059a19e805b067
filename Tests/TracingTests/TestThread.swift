import Foundation
import Synchronization

/// A thread that has ended when `join` returns, including the destructors of its thread-specific data.
final class TestThread: Sendable {
    private let body: @Sendable () -> Void
    private let handle = Mutex<pthread_t?>(nil)

    /// Starts a thread, whose name in the kernel has at most the first 15 bytes of `name`.
    init(_ name: String = "test", _ body: @escaping @Sendable () -> Void) {
        self.body = {
            Self.rename(name)
            body()
        }
        let argument = Unmanaged.passRetained(self).toOpaque()
        handle.withLock { handle in
            var created = pthread_t()
            let result = pthread_create(
                &created, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<TestThread>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, argument)
            precondition(result == 0, "no thread")
            handle = created
        }
    }

    /// Waits until the thread has ended.
    func join() {
        guard let thread = handle.withLock({ $0 }) else { return }
        pthread_join(thread, nil)
        handle.withLock { $0 = nil }
    }

    /// Renames the calling thread.
    static func rename(_ name: String) {
        // pthread_setname_np is visible only to GNU sources.
        try? Data(name.utf8.prefix(15)).write(to: URL(filePath: "/proc/thread-self/comm"))
    }

    /// Gives another thread the opportunity to run.
    static func giveWay() { sched_yield() }
}
