import CGStreamer

/// The Swift object of a `GstVideoFilter`.
final class VideoFilterInstance<E: VideoFilter & ~Copyable>: BaseTransformInstance<E> {
    private var format: VideoFormat?
    private var hasWarnedOfBadBuffer = false

    override func setInfo(_ format: VideoFormat) -> Bool {
        self.format = nil
        hasWarnedOfBadBuffer = false
        return flow { () throws(FlowResult) in
            try element.configure(format, store.settings)
            self.format = format
        } == GST_FLOW_OK
    }

    override func transform(_ raw: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn {
        guard let format else { return GST_FLOW_NOT_NEGOTIATED }
        guard let frame = VideoFrame(raw, format: format) else {
            warnOfBadBuffer()
            return GST_FLOW_OK
        }
        return flow { () throws(FlowResult) in try element.process(frame, settings) }
    }

    override func stop() {
        super.stop()
        format = nil
    }

    /// Posts a warning, once per format, about a buffer whose metadata are wrong; the buffer passes unchanged.
    private func warnOfBadBuffer() {
        guard !hasWarnedOfBadBuffer else { return }
        hasWarnedOfBadBuffer = true
        host.post(
            warning: .stream(
                .format, "The metadata of a video frame exceed its memory; the frame passes unchanged.",
                debug: "The strides and offsets of its GstVideoMeta do not fit its memory. "
                    + "Check the element that allocated the buffer."))
    }
}
