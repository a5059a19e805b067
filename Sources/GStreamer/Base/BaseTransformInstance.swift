import CGStreamer

/// The Swift object of a `GstBaseTransform`.
class BaseTransformInstance<E: BaseTransform & ~Copyable>: ElementInstance<E> {
    /// The settings for the current buffer; they do not change while it is processed.
    final var settings = E.Settings()

    final override var startsWithState: Bool { false }

    final override func changeState(
        _ element: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange
    ) -> GstStateChangeReturn {
        // A waiting streaming thread holds the stream lock, which the deactivation of the pads needs.
        if change == GST_STATE_CHANGE_PAUSED_TO_READY { flush(true) }
        if change == GST_STATE_CHANGE_READY_TO_PAUSED { flush(false) }
        return super.changeState(element, change)
    }

    final override func flush(_ isFlushing: Bool) { E.flush(isFlushing, store.report) }

    final override func setCaps(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        take(caps) { caps throws(FlowResult) in try element.setCaps(caps) }
    }

    final override func proposeAllocation(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard let query = AllocationQuery(query) else { return false }
        return element.proposeAllocation(query)
    }

    final override func submit(
        _ buffer: UnsafeMutablePointer<GstBuffer>
    ) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        var output: UnsafeMutablePointer<GstBuffer>?
        let result = flow { () throws(FlowResult) in
            output = try element.submitInput(Buffer(taking: buffer))?.give()
        }
        return (result == GST_FLOW_OK && output == nil ? cgst_flow_dropped() : result, output)
    }

    final override func bufferArrives() -> Bool {
        settings = store.settings
        return E.isPassthrough(settings)
    }

    final override func bufferPasses() { element.bufferPasses() }

    final override func transform(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        flow { () throws(FlowResult) in try element.transform(WritableBuffer(buffer), settings) }
    }
}
