import CSystem
import Glibc

/// A thread that other threads can join.
///
/// The thread runs until its body returns, even if nothing refers to the worker. The C function is `pthread_create`.
public final class Worker: Sendable {
    private struct State {
        /// Identity of the thread; 0 before it runs.
        var thread: UInt = 0
        var isDone = false
    }

    private let state = Monitor(State(), conditions: 1)
    private let forks = ForkCount.now

    private init() {}

    /// Identity of the calling thread.
    public static var currentThread: UInt { UInt(pthread_self()) }

    /// Runs `body` on a new thread; nil if the system cannot start one.
    ///
    /// The system keeps only the first 15 bytes of `name`.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Worker? {
        let worker = Worker()
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return nil }
        defer { unsafe pthread_attr_destroy(&attributes) }
        // The thread is detached, and `join` waits for a condition, so any number of threads may call `join`.
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The thread takes ownership of the reference.
        let work = unsafe Unmanaged.passRetained(Work(name, worker, body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { data in
                guard let data = unsafe data else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(data).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            unsafe work.release()
            return nil
        }
        return worker
    }

    /// Waits until the body has returned and its captures are released.
    ///
    /// The call returns immediately on the worker's own thread, where a wait would deadlock, and in a forked child,
    /// which does not have the thread.
    public func join() {
        guard forks == ForkCount.now else { return }
        let caller = Self.currentThread
        state.await { state -> Monitor<State>.Step<Void> in
            state.isDone || state.thread == caller ? .done(()) : .wait(0, until: nil)
        }
    }

    private func begin() { state.change { $0.thread = Self.currentThread } }

    private func end() {
        state.change { now in
            now.isDone = true
            state.mutex.wake(0)
        }
    }

    private final class Work: @unchecked Sendable {  // Only the new thread uses the object.
        private let name: String
        private let worker: Worker
        private var body: (@Sendable () -> Void)?

        init(_ name: String, _ worker: Worker, _ body: @escaping @Sendable () -> Void) {
            self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            self.worker = worker
            self.body = body
        }

        func run() {
            unsafe cprocessor_set_thread_name(name)
            worker.begin()
            body?()
            body = nil
            worker.end()
        }
    }
}
