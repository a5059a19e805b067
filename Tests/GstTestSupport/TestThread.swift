import CGStreamer
import Synchronization

/// A joinable thread.
public final class TestThread: @unchecked Sendable {  // The thread reads only `body`, a constant.
    private let body: @Sendable () -> Void
    private var raw: UnsafeMutablePointer<GThread>?

    public init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        let run: GThreadFunc = { thread in
            Unmanaged<TestThread>.fromOpaque(thread!).takeRetainedValue().body()
            return nil
        }
        raw = g_thread_new("test", run, Unmanaged.passRetained(self).toOpaque())
    }

    /// Waits for the end of the thread; each thread must be joined exactly once.
    public func join() { g_thread_join(raw) }

    /// Runs `body` repeatedly on another thread while `work` runs.
    public static func repeating(_ body: @escaping @Sendable () -> Void, while work: () -> Void) {
        let flag = Flag()
        let thread = TestThread { while !flag.isOver.load(ordering: .relaxed) { body() } }
        work()
        flag.isOver.store(true, ordering: .relaxed)
        thread.join()
    }

    private final class Flag: Sendable {
        let isOver = Atomic<Bool>(false)
    }
}

/// A value, such as a pointer, that only one thread at a time uses.
public struct Shared<Value>: @unchecked Sendable {
    public let value: Value
    public init(value: Value) { self.value = value }
}
