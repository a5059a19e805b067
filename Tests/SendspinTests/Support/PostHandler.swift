import CGStreamer
import GstTestSupport
import Synchronization

/// A handler that runs for each message of a kind, on the thread that posts it.
class PostHandler: @unchecked Sendable {  // The counter is atomic; the rest is constant.
    private let pipeline: Pipeline
    private let type: GstMessageType
    private let source: String?
    private let body: @Sendable () -> Void
    private let calls = Atomic(0)

    /// Handles messages of the element `source`, or of all elements.
    init(_ pipeline: Pipeline, _ type: GstMessageType, of source: String?, _ body: @escaping @Sendable () -> Void) {
        (self.pipeline, self.type, self.source, self.body) = (pipeline, type, source, body)
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(
            bus,
            { _, message, handler in
                Unmanaged<PostHandler>.fromOpaque(handler!).takeUnretainedValue().handle(message!)
                return GST_BUS_PASS
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<PostHandler>.fromOpaque($0!).release() })
        gst_object_unref(bus)
    }

    /// Number of messages so far.
    var count: Int { calls.load(ordering: .relaxed) }

    private func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        guard message.pointee.type == type,
            source.map({ String(cString: message.pointee.src.pointee.name) == $0 }) ?? true
        else { return }
        calls.add(1, ordering: .relaxed)
        body()
    }

    /// Removes the handler from the bus.
    func end() {
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(bus)
    }
}

/// Handles the state changes of an element.
final class StateHandler: PostHandler, @unchecked Sendable {
    init(_ pipeline: Pipeline, _ source: String, _ body: @escaping @Sendable () -> Void) {
        super.init(pipeline, GST_MESSAGE_STATE_CHANGED, of: source, body)
    }
}

/// Handles errors.
final class ErrorHandler: PostHandler, @unchecked Sendable {
    init(_ pipeline: Pipeline, _ body: @escaping @Sendable () -> Void) {
        super.init(pipeline, GST_MESSAGE_ERROR, of: nil, body)
    }
}
