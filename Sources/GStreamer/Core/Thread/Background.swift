import CGStreamer

/// Threads beside the stream.
public enum Background {
    /// Runs `body` on a thread of its own, which nobody waits for; false when there is none to be had.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let task = Unmanaged.passRetained(Task(body))
        let run: GThreadFunc = { data in
            guard let data else { return nil }
            Unmanaged<Task>.fromOpaque(data).takeRetainedValue().body()
            return nil
        }
        var failure: UnsafeMutablePointer<GError>?
        guard let thread = g_thread_try_new(name, run, task.toOpaque(), &failure) else {
            g_clear_error(&failure)
            task.release()
            return false
        }
        g_thread_unref(thread)
        return true
    }

    /// Tells this thread from others; never followed.
    public static var currentThread: UInt { UInt(bitPattern: g_thread_self()) }

    private final class Task: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

/// Something to sleep by, that another thread can end.
public final class Alarm: @unchecked Sendable {  // Guarded by `mutex`.
    // GLib's locks must not move in memory.
    private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<GCond>.allocate(capacity: 1)
    private var isOver = false
    private var isRung = false

    /// Nothing has rung.
    public init() {
        g_mutex_init(mutex)
        g_cond_init(changed)
    }

    deinit {
        g_mutex_clear(mutex)
        g_cond_clear(changed)
        mutex.deallocate()
        changed.deallocate()
    }

    /// Sleeps; false when there is no reason to go on.
    public func sleep(nanoseconds: UInt64) -> Bool {
        let deadline = g_get_monotonic_time() + gint64(min(nanoseconds / 1000, 1 << 50))
        g_mutex_lock(mutex)
        defer { g_mutex_unlock(mutex) }
        defer { isRung = false }
        while !isOver, !isRung, g_cond_wait_until(changed, mutex, deadline) != 0 {}
        return !isOver
    }

    /// Ends the sleep under way, or else the next one.
    public func wake() {
        g_mutex_lock(mutex)
        isRung = true
        g_cond_broadcast(changed)
        g_mutex_unlock(mutex)
    }

    /// Ends all sleep, now and later.
    public func end() {
        g_mutex_lock(mutex)
        isOver = true
        g_cond_broadcast(changed)
        g_mutex_unlock(mutex)
    }
}
