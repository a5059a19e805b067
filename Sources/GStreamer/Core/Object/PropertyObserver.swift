import CGStreamer

/// Calls a closure for each `notify` signal of a property of an element.
///
/// The closure runs on the thread that emits the signal; the value may be unchanged. The corresponding C function is
/// `g_signal_connect_data` with the signal `notify`.
public final class PropertyObserver: @unchecked Sendable {  // Nothing changes after `init`.
    private let element: ElementReference
    private let handler: gulong

    private final class Handler: Sendable {
        let notified: @Sendable () -> Void
        init(_ notified: @escaping @Sendable () -> Void) { self.notified = notified }
    }

    /// Observes the property `name` until the observer is released.
    public init(_ element: ElementReference, _ name: String, _ notified: @escaping @Sendable () -> Void) {
        typealias Notify = @convention(c) (gpointer?, UnsafeMutablePointer<GParamSpec>?, gpointer?) -> Void
        let notify: Notify = { _, _, data in
            guard let data else { return }
            Unmanaged<Handler>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.notified() }
        }
        self.element = element
        handler = g_signal_connect_data(
            element.object, "notify::\(name)", unsafeBitCast(notify, to: GCallback.self),
            Unmanaged.passRetained(Handler(notified)).toOpaque(),
            { data, _ in Unmanaged<Handler>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }

    deinit { g_signal_handler_disconnect(element.object, handler) }
}
