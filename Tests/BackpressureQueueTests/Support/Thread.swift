import CGStreamer

/// A joinable thread of a test.
final class Thread: @unchecked Sendable {  // Written before the thread starts.
    private let body: @Sendable () -> Void
    private var raw: OpaquePointer?

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        let run: GThreadFunc = { thread in
            Unmanaged<Thread>.fromOpaque(thread!).takeRetainedValue().body()
            return nil
        }
        raw = OpaquePointer(g_thread_new("test", run, Unmanaged.passRetained(self).toOpaque()))
    }

    func join() { g_thread_join(UnsafeMutablePointer(raw)) }
}
