import CGStreamer

/// Calls a closure for each pad that an element, such as `decodebin`, adds.
///
/// The closure runs on the thread that adds the pad, often a streaming thread. The closure may link the pad. The
/// corresponding C signal is `pad-added`.
public final class PadObserver: @unchecked Sendable {  // Nothing changes after `init`.
    private let element: ElementReference
    private let handler: gulong

    private final class Handler: Sendable {
        let added: @Sendable (borrowing Pad) -> Void
        init(_ added: @escaping @Sendable (borrowing Pad) -> Void) { self.added = added }
    }

    /// Observes `element` until the observer is released.
    public init(_ element: ElementReference, _ added: @escaping @Sendable (borrowing Pad) -> Void) {
        typealias Added = @convention(c) (gpointer?, UnsafeMutablePointer<GstPad>?, gpointer?) -> Void
        let padAdded: Added = { _, pad, data in
            guard let pad, let data else { return }
            Unmanaged<Handler>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.added(Pad(retaining: pad)) }
        }
        self.element = element
        handler = g_signal_connect_data(
            element.object, "pad-added", unsafeBitCast(padAdded, to: GCallback.self),
            Unmanaged.passRetained(Handler(added)).toOpaque(),
            { data, _ in Unmanaged<Handler>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }

    deinit { g_signal_handler_disconnect(element.object, handler) }
}
