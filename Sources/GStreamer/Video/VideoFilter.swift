import CGStreamer

/// An element that changes video frames in place.
///
/// Settings may change at any time; `process` receives the settings at the arrival of the frame.
///
/// The corresponding C class is `GstVideoFilter`.
public protocol VideoFilter: BaseTransform, ~Copyable {
    /// Called when the format of the stream is negotiated, and again when it changes. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the format is refused.
    /// The corresponding C method is `set_info`.
    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult)

    /// Called for each frame on the streaming thread; the method must not allocate, lock or wait.
    ///
    /// Upstream receives the result that the method throws.
    /// The corresponding C method is `transform_frame_ip`.
    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult)
}

extension VideoFilter where Self: ~Copyable {
    /// Accepts the format.
    public mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {}
}

/// Registers `E` as a subclass of `GstVideoFilter`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: VideoFilter & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_video_filter_get_type(), initClass: setVideoFilterMethods,
        makeInstance: { VideoFilterInstance<E>($0, $1, $2) })
}

private func setVideoFilterMethods(_ gClass: UnsafeMutableRawPointer) {
    setBaseTransformMethods(gClass, passthroughOnSameCaps: false)
    let filter = gClass.assumingMemoryBound(to: GstVideoFilterClass.self)
    filter.pointee.set_info = { filter, _, input, _, _ in
        lend(filter, input) { $0.setInfo(VideoFormat($1)) }
    }
    filter.pointee.transform_frame_ip = { lend($0, $1, else: GST_FLOW_ERROR) { $0.transform($1) } }
}

/// The Swift object of a `GstVideoFilter`.
final class VideoFilterInstance<E: VideoFilter & ~Copyable>: BaseTransformInstance<E> {
    private var format: VideoFormat?
    private var hasWarnedOfBadBuffer = false

    override func setInfo(_ format: VideoFormat) -> Bool {
        self.format = nil
        hasWarnedOfBadBuffer = false
        return succeeds { () throws(FlowResult) in
            try element.configure(format, store.settings)
            self.format = format
        }
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

    /// Posts a warning, once per format, about a buffer with invalid metadata; the buffer passes unchanged.
    private func warnOfBadBuffer() {
        guard !hasWarnedOfBadBuffer else { return }
        hasWarnedOfBadBuffer = true
        host.post(warning: .frameExceedsMemory("; the frame passes unchanged"))
    }
}
