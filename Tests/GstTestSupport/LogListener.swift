import CGStreamer
import Synchronization

/// Receives the log messages of all threads, on the threads that log them, until `end`.
///
/// GStreamer calls log functions without a mutex, and frees a removed one at once, although another thread may be about
/// to call it. A listener is therefore never removed, and ignores messages after `end`.
public final class LogListener: Sendable {
    /// A log message, valid during the call.
    public struct Message {
        public let category: String
        public let level: GstDebugLevel
        public let object: UnsafeMutablePointer<GObject>?
        let raw: OpaquePointer?

        /// The text of the message, formatted at each access.
        public var text: String { gst_debug_message_get(raw).map { String(cString: $0) } ?? "" }
    }

    private let heard: Mutex<(@Sendable (Message) -> Void)?>

    /// Starts to listen; the caller must then raise the threshold of a category.
    public init(_ heard: @escaping @Sendable (Message) -> Void) {
        _ = Setup.once
        self.heard = Mutex(heard)
        gst_debug_add_log_function(
            { category, level, _, _, _, object, message, listener in
                Unmanaged<LogListener>.fromOpaque(listener!)._withUnsafeGuaranteedRef {
                    $0.receive(category, level, object, message)
                }
            }, Unmanaged.passRetained(self).toOpaque(), nil)
        gst_debug_set_active(1)
    }

    /// Stops calling the closure, which another thread may still be running.
    public func end() { heard.withLock { $0 = nil } }

    private func receive(
        _ category: UnsafeMutablePointer<GstDebugCategory>?, _ level: GstDebugLevel,
        _ object: UnsafeMutablePointer<GObject>?, _ message: OpaquePointer?
    ) {
        guard let heard = heard.withLock({ $0 }), let name = gst_debug_category_get_name(category) else { return }
        heard(Message(category: String(cString: name), level: level, object: object, raw: message))
    }
}
