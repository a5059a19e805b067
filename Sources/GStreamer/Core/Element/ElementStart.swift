import Threads

/// Notifies a plugin before one of its elements starts.
public enum ElementStart {
    private static let observer = ProcessMutex<Handler<@Sendable () -> Void>?>(nil)

    /// Calls `body` in each change of an element of this plugin from READY to PAUSED, on the thread of the change.
    ///
    /// The call replaces the previous `body`.
    public static func observe(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0 = Handler(body) } }

    static func announce() { observer.withLock { $0 }?.call() }
}
