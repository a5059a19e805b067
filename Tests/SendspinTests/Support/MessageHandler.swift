import CGStreamer
import GstTestSupport

/// A synchronous bus handler of a pipeline, which runs on the thread that posts a message.
class MessageHandler: @unchecked Sendable {  // The properties are constant.
    private let pipeline: Pipeline

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(
            bus,
            { _, message, handler in
                Unmanaged<MessageHandler>.fromOpaque(handler!).takeUnretainedValue().handle(message!)
                return GST_BUS_PASS
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<MessageHandler>.fromOpaque($0!).release() })
        gst_object_unref(bus)
    }

    /// Handles a message, which the application also receives.
    func handle(_ message: UnsafeMutablePointer<GstMessage>) {}

    /// Removes the handler from the bus.
    func end() {
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(bus)
    }
}
