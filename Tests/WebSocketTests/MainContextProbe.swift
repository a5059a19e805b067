import CGLib

/// An idle source in the default main context, which counts its dispatches.
final class MainContextProbe {
    private let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    private let source: guint

    init() {
        counter.initialize(to: 0)
        source = g_idle_add(
            { data in
                data?.assumingMemoryBound(to: Int.self).pointee += 1
                return 1
            }, counter)
    }

    deinit {
        g_source_remove(source)
        counter.deallocate()
    }

    /// Whether no thread has run the default main context, and no thread owns it.
    var isUntouched: Bool {
        guard g_main_context_acquire(nil) != 0 else { return false }
        g_main_context_release(nil)
        return counter.pointee == 0
    }
}
