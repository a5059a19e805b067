import CGStreamer

/// An element that makes a new video frame from each frame, with caps of its own on each side.
///
/// Frames pass unchanged if the negotiated caps are the same on both sides. `GstVideoFilter` proposes and decides the
/// allocation, and derives the sizes of the buffers from the caps. `GstBaseTransform` serializes the `mutating` methods,
/// so a conforming type may be a `struct` without a lock. An element with the same caps on both sides is a
/// `VideoFilter`, which changes frames in place.
///
/// The corresponding C class is `GstVideoFilter`.
public protocol VideoTransform: Element, ~Copyable {
    /// All caps of one pad to which, or from which, frames with `caps` of the pad on `side` can be transformed.
    ///
    /// Called on any thread, with any caps that the template of the pad allows. The corresponding C method is
    /// `transform_caps`.
    static func transformCaps(_ caps: Caps, from side: PadDirection, _ settings: Settings) -> Caps

    /// Chooses values of `caps`, for the caps that the pad on `side` has.
    ///
    /// Fields without a fixed value in the result get the first value, or the lowest one. The corresponding C method is
    /// `fixate_caps`.
    static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: Settings) -> Caps

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

    /// Called after a flush, as of a seek: the next frame does not continue the stream. Forget earlier frames here.
    ///
    /// Called between two calls of `process`, on the thread that seeks or flushes. The corresponding C event is
    /// FLUSH_STOP.
    mutating func flush()
}

extension VideoTransform where Self: ~Copyable {
    /// Returns the caps.
    public static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: Settings) -> Caps {
        caps
    }
    /// Accepts the formats.
    public mutating func configure(
        from input: VideoFormat, to output: VideoFormat, _ settings: Settings
    ) throws(FlowResult) {}
    /// Does nothing.
    public mutating func flush() {}
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
    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.passthrough_on_same_caps = 1
    transform.pointee.start = { lend($0) { $0.start() } }
    transform.pointee.stop = { perform($0) { $0.stop() } }
    transform.pointee.transform_caps = { transform, direction, caps, filter in
        guard let caps else { return nil }
        let found = lend(transform) { $0.transformCaps(Caps(caps), from: PadDirection(direction)) }
        // The order of the filter is that of the preference of the other element.
        return filter.map { gst_caps_intersect_full($0, found.raw, GST_CAPS_INTERSECT_FIRST) }
            ?? gst_caps_ref(found.raw)
    }
    transform.pointee.fixate_caps = { transform, direction, fixed, caps in
        guard let fixed, let caps else { return caps }
        let chosen = lend(transform) {
            $0.fixate(Caps(taking: caps), for: Caps(fixed), of: PadDirection(direction))
        }
        return gst_caps_fixate(gst_caps_ref(chosen.raw))
    }
    transform.pointee.sink_event = { transform, event in
        if event?.pointee.type == GST_EVENT_FLUSH_STOP { lend(transform) { $0.flushed() } }
        return parentClass(of: transform)?.pointee.sink_event?(transform, event) ?? 0
    }
    transform.pointee.before_transform = { transform, buffer in
        guard let transform, let buffer else { return }
        syncControlledProperties(of: transform, &transform.pointee.segment, at: buffer)
    }
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

/// Delays a flush until the element is not in use, because a handler of its messages may seek on the streaming thread.
struct DeferredFlush {
    /// Whether the element is in use.
    var isBusy = false
    private var isDue = false

    /// Whether the element can be flushed now.
    mutating func arrives() -> Bool {
        isDue = isBusy
        return !isBusy
    }

    /// Ends the use of the element; returns whether it must be flushed.
    mutating func ends() -> Bool {
        defer { (isBusy, isDue) = (false, false) }
        return isDue
    }
}

/// The Swift object of a `GstVideoFilter` with its own caps on each side.
private final class VideoTransformInstance<E: VideoTransform & ~Copyable>: ElementInstance<E> {
    private var formats: (input: VideoFormat, output: VideoFormat)?
    private var flush = DeferredFlush()

    override var startsWithState: Bool { false }

    override func transformCaps(_ caps: Caps, from side: PadDirection) -> Caps {
        E.transformCaps(caps, from: side, store.settings)
    }

    override func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection) -> Caps {
        E.fixate(caps, for: fixed, of: side, store.settings)
    }

    override func setInfo(input: VideoFormat, output: VideoFormat) -> Bool {
        formats = nil
        flush.isBusy = true
        defer { if flush.ends() { element.flush() } }
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
        flush.isBusy = true
        defer { if flush.ends() { element.flush() } }
        // A closure cannot capture the input.
        do throws(FlowResult) {
            try element.process(source, into: target, store.settings)
            return GST_FLOW_OK
        } catch {
            return error.raw
        }
    }

    override func flushed() { if flush.arrives() { element.flush() } }

    override func stop() {
        super.stop()
        formats = nil
    }
}
