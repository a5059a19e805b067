import CGStreamer

/// An element that makes a new video frame from each frame, with caps of its own on each side.
///
/// Frames pass unchanged if the negotiated caps are the same on both sides. `GstVideoFilter` proposes and decides the
/// allocation, and derives the sizes of the buffers from the caps. `GstBaseTransform` serializes the `mutating` methods,
/// so a conforming type may be a `struct` without a lock. An element with the same caps on both sides is a
/// `VideoFilter`, which changes frames in place.
///
/// The corresponding C class is `GstVideoFilter`.
public protocol VideoTransform: CapsTransform, ~Copyable {
    /// Called when the formats of both sides are negotiated, and again when they change. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the formats are refused.
    /// The corresponding C method is `set_info`.
    mutating func configure(from input: VideoFormat, to output: VideoFormat, _ settings: Settings) throws(FlowResult)

    /// Called for each frame on the streaming thread; sets all pixels of `output`, and must not allocate, lock or wait.
    ///
    /// Upstream receives the result that the method throws. The corresponding C method is `transform_frame`.
    mutating func process(
        _ input: borrowing InputFrame, into output: borrowing VideoFrame, _ settings: Settings
    ) throws(FlowResult)
}

extension VideoTransform where Self: ~Copyable {
    /// Accepts the formats.
    public mutating func configure(
        from input: VideoFormat, to output: VideoFormat, _ settings: Settings
    ) throws(FlowResult) {}
}

/// Registers `E` as a subclass of `GstVideoFilter`.
///
/// The same element may be registered again. The corresponding C function is `gst_element_register`.
public func register<E: VideoTransform & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_video_filter_get_type(), initClass: setVideoTransformMethods,
        makeInstance: { VideoTransformInstance<E>($0, $1, $2) })
}

private func setVideoTransformMethods(_ gClass: UnsafeMutableRawPointer) {
    setCapsTransformMethods(gClass)
    let filter = gClass.assumingMemoryBound(to: GstVideoFilterClass.self)
    filter.pointee.set_info = { filter, _, input, _, output in
        guard let input, let output else { return 0 }
        return lend(filter) { $0.setInfo(input: VideoFormat(input), output: VideoFormat(output)) }
    }
    filter.pointee.transform_frame = { filter, input, output in
        guard let input, let output else { return GST_FLOW_ERROR }
        return lend(filter) { $0.transform(input, into: output) }
    }
}

/// The Swift object of a `GstVideoFilter` with its own caps on each side.
private final class VideoTransformInstance<E: VideoTransform & ~Copyable>: CapsTransformInstance<E> {
    private var formats: (input: VideoFormat, output: VideoFormat)?

    override func setInfo(input: VideoFormat, output: VideoFormat) -> Bool {
        formats = nil
        beginUse()
        defer { endUse() }
        return succeeds { () throws(FlowResult) in
            try element.configure(from: input, to: output, store.settings)
            formats = (input, output)
        }
    }

    override func transform(
        _ input: UnsafeMutablePointer<GstVideoFrame>, into output: UnsafeMutablePointer<GstVideoFrame>
    ) -> GstFlowReturn {
        guard let formats else { return GST_FLOW_NOT_NEGOTIATED }
        guard let source = InputFrame(input, format: formats.input),
            let target = VideoFrame(output, format: formats.output)
        else {
            return host.fail(.frameExceedsMemory()).raw
        }
        beginUse()
        defer { endUse() }
        // A closure cannot capture the input.
        do throws(FlowResult) {
            try element.process(source, into: target, store.settings)
            return GST_FLOW_OK
        } catch {
            return error.raw
        }
    }

    override func stop() {
        super.stop()
        formats = nil
    }
}
