import CProcessor
import Glibc

/// A detached thread.
///
/// The corresponding C function is `pthread_create`.
enum Background {
    /// Runs `body` on a new thread; false when the system provides none.
    ///
    /// At most 15 bytes of `name` are visible.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The thread takes the reference.
        let work = unsafe Unmanaged.passRetained(Work(name, body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { data in
                guard let data = unsafe data else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(data).takeRetainedValue()
                unsafe cprocessor_set_thread_name(work.name)
                work.body()
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            unsafe work.release()
            return false
        }
        return true
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
