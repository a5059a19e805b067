import CProcessor
import CSockets
import Glibc

/// A thread that can be joined.
///
/// The corresponding C type is `pthread_t`.
struct ServerThread: Sendable {
    private let thread: pthread_t

    /// Runs `body` on a new thread without signals; fails when the system provides none.
    init(_ body: @escaping @Sendable () -> Void) throws(ServerError) {
        // The thread takes the reference.
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, nil,
            { data in
                guard let data = unsafe data else { return nil }
                csockets_block_signals()
                unsafe cprocessor_set_thread_name("monitor-http")
                unsafe Unmanaged<Work>.fromOpaque(data).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            unsafe work.release()
            throw .noResources(reason: SystemError.text(failure))
        }
        self.thread = thread
    }

    /// Waits for the end of the thread; to be called once, by another thread.
    func join() { pthread_join(thread, nil) }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
