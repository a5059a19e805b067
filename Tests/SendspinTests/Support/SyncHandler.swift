import CGStreamer
import GstTestSupport

/// A handler that runs once, on the thread that posts the first element message with the given name.
final class SyncHandler: MessageHandler, @unchecked Sendable {  // Latches synchronise threads.
    private let name: String
    private let body: @Sendable () -> Void
    private let (begun, over) = (Latch(), Latch())

    init(_ pipeline: Pipeline, _ name: String, _ body: @escaping @Sendable () -> Void) {
        (self.name, self.body) = (name, body)
        super.init(pipeline)
    }

    override func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        guard message.pointee.type == GST_MESSAGE_ELEMENT, gst_message_has_name(message, name) != 0,
            !begun.wait(within: .zero)
        else {
            return
        }
        begun.open()
        body()
        over.open()
    }

    /// Waits until the handler has begun; returns false if no message was posted.
    func hasBegun() -> Bool { begun.wait() }

    /// Waits until the handler has returned; returns false if it has not returned.
    func hasRun() -> Bool { over.wait() }
}
