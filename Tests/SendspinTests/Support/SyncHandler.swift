import CGStreamer
import GstTestSupport

/// A handler that runs once, on the thread that posts the first element message with a name.
final class SyncHandler: @unchecked Sendable {  // Latches synchronise the threads; the rest is constant.
    private let pipeline: Pipeline
    private let name: String
    private let body: @Sendable () -> Void
    private let (begun, over) = (Latch(), Latch())

    init(_ pipeline: Pipeline, _ name: String, _ body: @escaping @Sendable () -> Void) {
        (self.pipeline, self.name, self.body) = (pipeline, name, body)
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(
            bus,
            { _, message, handler in
                Unmanaged<SyncHandler>.fromOpaque(handler!).takeUnretainedValue().handle(message!)
                return GST_BUS_PASS
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<SyncHandler>.fromOpaque($0!).release() })
        gst_object_unref(bus)
    }

    private func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        guard message.pointee.type == GST_MESSAGE_ELEMENT, gst_message_has_name(message, name) != 0,
            !begun.wait(within: .zero)
        else {
            return
        }
        begun.open()
        body()
        over.open()
    }

    /// Waits until the handler has begun; false if there was no message.
    func hasBegun() -> Bool { begun.wait() }

    /// Waits until the handler has returned; false if it has not.
    func hasRun() -> Bool { over.wait() }

    /// Removes the handler from the bus.
    func end() {
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(bus)
    }
}
