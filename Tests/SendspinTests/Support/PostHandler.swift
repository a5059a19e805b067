import CGStreamer
import GstTestSupport
import Synchronization

/// A handler that runs for each message of one type, on the thread that posts the message.
class PostHandler: MessageHandler, @unchecked Sendable {  // The counter is atomic; other properties are constant.
    private let type: GstMessageType
    private let source: String?
    private let body: @Sendable () -> Void
    private let calls = Atomic(0)

    /// Handles messages of the element `source`, or of all elements.
    init(_ pipeline: Pipeline, _ type: GstMessageType, of source: String?, _ body: @escaping @Sendable () -> Void) {
        (self.type, self.source, self.body) = (type, source, body)
        super.init(pipeline)
    }

    /// Number of handled messages.
    var count: Int { calls.load(ordering: .relaxed) }

    override func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        guard message.pointee.type == type,
            source.map({ String(cString: message.pointee.src.pointee.name) == $0 }) ?? true
        else { return }
        calls.add(1, ordering: .relaxed)
        body()
    }
}

/// Handles the state changes of an element.
final class StateHandler: PostHandler, @unchecked Sendable {
    init(_ pipeline: Pipeline, _ source: String, _ body: @escaping @Sendable () -> Void) {
        super.init(pipeline, GST_MESSAGE_STATE_CHANGED, of: source, body)
    }
}

final class ErrorHandler: PostHandler, @unchecked Sendable {
    init(_ pipeline: Pipeline, _ body: @escaping @Sendable () -> Void) {
        super.init(pipeline, GST_MESSAGE_ERROR, of: nil, body)
    }
}
